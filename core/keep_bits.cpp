#include "core/keep_bits.hpp"

#ifndef __AVX2__
#error "tapehead needs a CPU with AVX2 (x86-64-v3)"
#endif

#include <immintrin.h>

#include <cstring>

namespace tapehead {

namespace {

// Numbers of 64 bits, as many as a register holds.
#ifdef __AVX512BW__
using Register [[gnu::vector_size(64)]] = unsigned long long;
constexpr Register first_lanes{0, 1, 2, 3, 4, 5, 6, 7};
#else
using Register [[gnu::vector_size(32)]] = unsigned long long;
constexpr Register first_lanes{0, 1, 2, 3};
#endif

constexpr std::size_t register_lanes = sizeof(Register) / sizeof(std::uint64_t);

// A word of sixteen counters, each in the low half of 64 bits, where the multiplication wants it;
// the high halves hold anything.
struct SomeWords {
  Register lanes;
};
using Words = std::array<SomeWords, keep_lanes / register_lanes>;

inline Register all(std::uint64_t word) { return Register{} + word; }

inline Register low_product(Register x, Register y) {
#ifdef __AVX512BW__
  // Of all lanes; without a mask GCC 12 falsely warns of a variable that is not initialised.
  return Register(_mm512_maskz_mul_epu32(0xFF, __m512i(x), __m512i(y)));
#else
  return Register(_mm256_mul_epu32(__m256i(x), __m256i(y)));
#endif
}

struct Counters {
  Register a;
  Register b;
  Register c;
  Register d;
};

// One round: `a` and `c` are multiplied, `b` and `d` mixed in (Salmon et al. 2011, figure 3).
inline void philox_round(Counters& x, Register key0, Register key1) {
  const Register product0 = low_product(x.a, all(0xD2511F53));
  const Register product1 = low_product(x.c, all(0xCD9E8D57));
  x.a = (product1 >> 32) ^ x.b ^ key0;
  x.b = product1;
  x.c = (product0 >> 32) ^ x.d ^ key1;
  x.d = product0;
}

// A byte for each counter: its eight draws in order, a bit set where the 16 bits of a draw are at
// least the threshold. Words a and b of a counter, side by side, are four draws, c and d the
// others.
inline std::uint64_t bytes_of(const Counters& x, std::uint32_t threshold) {
#ifdef __AVX512BW__
  const auto kept = [least = _mm512_set1_epi16(static_cast<short>(threshold))](Register low,
                                                                               Register high) {
    return _mm512_cmpge_epu16_mask(
        _mm512_mask_blend_epi32(0xAAAA, __m512i(low), __m512i(high << 32)), least);
  };
  return _pdep_u64(kept(x.a, x.b), 0x0F0F0F0F0F0F0F0F) |
         _pdep_u64(kept(x.c, x.d), 0xF0F0F0F0F0F0F0F0);
#else
  const auto kept = [least = _mm256_set1_epi16(static_cast<short>(threshold))](Register low,
                                                                               Register high) {
    const __m256i draws = _mm256_blend_epi32(__m256i(low), __m256i(high << 32), 0xAA);
    return _mm256_cmpeq_epi16(_mm256_max_epu16(draws, least), draws);
  };
  const __m256i bytes = _mm256_packs_epi16(kept(x.a, x.b), kept(x.c, x.d));  // ab ab cd cd
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_shuffle_epi32(bytes, 0b11011000)));
#endif
}

using KeepBytes = std::array<std::uint64_t, keep_lanes / 8>;

inline KeepBytes draw(const Dropout& dropout, const Words& blocks, const Words& rows,
                      std::uint32_t salt) {
  std::array<Counters, std::tuple_size_v<Words>> counters;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i] = {blocks[i].lanes, rows[i].lanes, all(dropout.draws.step), all(salt)};
  }
  auto key0 = static_cast<std::uint32_t>(dropout.draws.key);
  auto key1 = static_cast<std::uint32_t>(dropout.draws.key >> 32);
  for (int round = 0; round < 7; ++round) {
    for (Counters& some : counters) {
      philox_round(some, all(key0), all(key1));
    }
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  KeepBytes keep{};
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const std::size_t lane = i * register_lanes;
    keep[lane / 8] |= bytes_of(counters[i], dropout.threshold()) << (8 * (lane % 8));
  }
  return keep;
}

}  // namespace

std::array<std::uint16_t, 8> draw_keep_columns(const Dropout& dropout, std::uint32_t block,
                                               std::uint32_t row, std::uint32_t row_step,
                                               std::uint32_t salt) {
  Words blocks;
  Words rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    blocks[i].lanes = all(block);
    rows[i].lanes = low_product(first_lanes + i * register_lanes, all(row_step)) + row;
  }
  const KeepBytes keep = draw(dropout, blocks, rows, salt);
  static_assert(sizeof(KeepBytes) == sizeof(__m128i));
  const __m128i bytes =
      _mm_set_epi64x(static_cast<long long>(keep[1]), static_cast<long long>(keep[0]));
  std::array<std::uint16_t, 8> columns;
  for (int bit = 0; bit < 8; ++bit) {  // the shift puts the bit where movemask reads
    columns[static_cast<std::size_t>(bit)] =
        static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_slli_epi16(bytes, 7 - bit)));
  }
  return columns;
}

void draw_keep_rows(const Dropout& dropout, Index first, Index rows, Index columns,
                    std::uint8_t* keep) {
  const Index bytes = keep_bytes(rows, columns);
  if (bytes == 0) {
    return;
  }
  const auto row_bytes = static_cast<std::uint32_t>(keep_row_bytes(columns));
  const auto first_row = static_cast<std::uint32_t>(first + dropout.draws.first_row);
  Words block;
  Words row;
  for (std::uint32_t lane = 0; lane < keep_lanes; ++lane) {
    block[lane / register_lanes].lanes[lane % register_lanes] = lane % row_bytes;
    row[lane / register_lanes].lanes[lane % register_lanes] = first_row + lane / row_bytes;
  }
  for (Index byte = 0; byte < bytes; byte += keep_lanes) {
    const KeepBytes kept = draw(dropout, block, row, 0);
    std::memcpy(keep + byte, kept.data(), sizeof kept);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Register next = block[i].lanes + keep_lanes % row_bytes;
      const auto wraps = Register(next >= row_bytes);  // -1 where they do
      block[i].lanes = next - (wraps & row_bytes);
      row[i].lanes += keep_lanes / row_bytes - wraps;
    }
  }
}

}  // namespace tapehead
