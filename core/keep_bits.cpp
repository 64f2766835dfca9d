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

// A word of four counters, and of as many as are worked on at a time.
struct FourWords {
  __m256i lanes;
};
using Words = std::array<FourWords, keep_lanes / 4>;

Words words_at(const std::uint32_t* words) {
  Words loaded;
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    loaded[i].lanes =
        _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words + 4 * i)));
  }
  return loaded;
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

inline void draw(const Dropout& dropout, const Words& blocks, const Words& rows, std::uint32_t salt,
                 std::uint8_t* keep) {
  std::array<Counters, keep_lanes / 4> counters;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i] = {blocks[i].lanes, rows[i].lanes, _mm256_set1_epi64x(dropout.draws.step),
                   _mm256_set1_epi64x(salt)};
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

}  // namespace

void draw_keep_bits(const Dropout& dropout, const std::uint32_t* block, const std::uint32_t* row,
                    std::uint32_t salt, std::uint8_t* keep) {
  draw(dropout, words_at(block), words_at(row), salt, keep);
}

void draw_keep_rows(const Dropout& dropout, Index first, Index rows, Index columns,
                    std::uint8_t* keep) {
  const Index bytes = keep_bytes(rows, columns);
  if (bytes == 0) {
    return;
  }
  constexpr auto lanes = static_cast<std::uint32_t>(keep_lanes);
  const auto row_bytes = static_cast<std::uint32_t>(keep_row_bytes(columns));
  const auto first_row = static_cast<std::uint32_t>(first + dropout.draws.first_row);
  std::array<std::uint32_t, keep_lanes> lane_blocks;
  std::array<std::uint32_t, keep_lanes> lane_rows;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    lane_blocks[lane] = lane % row_bytes;
    lane_rows[lane] = first_row + lane / row_bytes;
  }
  Words block = words_at(lane_blocks.data());
  Words row = words_at(lane_rows.data());
  const __m256i across = _mm256_set1_epi64x(lanes % row_bytes);
  const __m256i down = _mm256_set1_epi64x(lanes / row_bytes);
  const __m256i width = _mm256_set1_epi64x(row_bytes);
  const __m256i last = _mm256_set1_epi64x(row_bytes - 1);
  for (Index byte = 0; byte < bytes; byte += keep_lanes) {
    draw(dropout, block, row, 0, keep + byte);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const __m256i next = _mm256_add_epi64(block[i].lanes, across);
      const __m256i wraps = _mm256_cmpgt_epi64(next, last);  // -1 where they do
      block[i].lanes = _mm256_sub_epi64(next, _mm256_and_si256(wraps, width));
      row[i].lanes = _mm256_sub_epi64(_mm256_add_epi64(row[i].lanes, down), wraps);
    }
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
