#include "core/keep_bits.hpp"

#ifndef __AVX2__
#error "tapehead needs a CPU with AVX2 (x86-64-v3)"
#endif

#include <immintrin.h>

#include <cstring>

namespace tapehead {

namespace {

// Four counters of Philox, each word in the low half of 64 bits, where the multiplication wants it;
// the high halves hold anything.
struct Counters {
  __m256i a;
  __m256i b;
  __m256i c;
  __m256i d;
};

inline Counters counters_at(const Dropout& dropout, const std::uint32_t* block,
                            const std::uint32_t* row, std::uint32_t salt) {
  const auto words = [](const std::uint32_t* from) {
    return _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  };
  return {words(block), words(row), _mm256_set1_epi64x(dropout.draws.step),
          _mm256_set1_epi64x(salt)};
}

// One round: `a` and `c` are multiplied, `b` and `d` mixed in (Salmon et al. 2011, figure 3).
inline void philox_round(Counters& x, __m256i key0, __m256i key1) {
  const __m256i product0 = _mm256_mul_epu32(x.a, _mm256_set1_epi64x(0xD2511F53));
  const __m256i product1 = _mm256_mul_epu32(x.c, _mm256_set1_epi64x(0xCD9E8D57));
  x.a = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product1, 32), x.b), key0);
  x.b = product1;
  x.c = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product0, 32), x.d), key1);
  x.d = product0;
}

// Bits of all ones where the 16 bits of a draw are at least the threshold; words x and y of each
// counter side by side.
inline __m256i kept(__m256i x, __m256i y, __m256i threshold) {
  const __m256i draws = _mm256_blend_epi32(x, _mm256_slli_epi64(y, 32), 0xAA);
  return _mm256_cmpeq_epi16(_mm256_max_epu16(draws, threshold), draws);
}

// A byte for each counter: its eight draws in order.
inline std::uint32_t bytes_of(const Counters& x, __m256i threshold) {
  const __m256i bytes = _mm256_packs_epi16(
      kept(x.a, x.b, threshold), kept(x.c, x.d, threshold));  // a b of two counters, then c d
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_shuffle_epi32(bytes, 0b11011000)));
}

}  // namespace

void draw_keep_bits(const Dropout& dropout, const std::uint32_t* block, const std::uint32_t* row,
                    std::uint32_t salt, std::uint8_t* keep) {
  std::array<Counters, keep_lanes / 4> counters;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i] = counters_at(dropout, block + 4 * i, row + 4 * i, salt);
  }
  auto key0 = static_cast<std::uint32_t>(dropout.draws.key);
  auto key1 = static_cast<std::uint32_t>(dropout.draws.key >> 32);
  for (int round = 0; round < 7; ++round) {
    for (Counters& four : counters) {
      philox_round(four, _mm256_set1_epi64x(key0), _mm256_set1_epi64x(key1));
    }
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  const __m256i threshold = _mm256_set1_epi16(static_cast<short>(dropout.threshold()));
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const std::uint32_t bytes = bytes_of(counters[i], threshold);
    std::memcpy(keep + 4 * i, &bytes, sizeof bytes);
  }
}

void draw_keep_rows(const Dropout& dropout, Index first, Index rows, Index columns,
                    std::uint8_t* keep) {
  const auto row_bytes = static_cast<std::uint32_t>(keep_row_bytes(columns));
  std::array<std::uint32_t, keep_lanes> blocks;
  std::array<std::uint32_t, keep_lanes> block_rows;
  std::uint32_t block = 0;
  auto row = static_cast<std::uint32_t>(first + dropout.draws.first_row);
  const Index bytes = keep_bytes(rows, columns);
  for (Index byte = 0; byte < bytes; byte += keep_lanes) {
    for (std::size_t lane = 0; lane < keep_lanes; ++lane) {
      blocks[lane] = block;
      block_rows[lane] = row;
      const bool last = ++block == row_bytes;
      block = last ? 0 : block;
      row += last ? 1 : 0;
    }
    draw_keep_bits(dropout, blocks.data(), block_rows.data(), 0, keep + byte);
  }
}

std::array<std::uint16_t, 8> transpose_keep_bits(const std::uint8_t* keep) {
  static_assert(keep_lanes == 16);
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(keep));
  std::array<std::uint16_t, 8> columns;
  for (int bit = 0; bit < 8;
       ++bit) {  // the shift puts the bit on top of its byte, where movemask reads
    const int lanes = _mm_movemask_epi8(_mm_slli_epi16(bytes, 7 - bit));
    columns[static_cast<std::size_t>(bit)] = static_cast<std::uint16_t>(lanes);
  }
  return columns;
}

}  // namespace tapehead
