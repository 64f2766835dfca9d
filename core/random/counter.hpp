// What the draws of dropout are made with: a counter of 128 bits, the rounds of AES that mix it
// (FIPS-197, section 5.1), and the bits of the result. Every CPU computes the same.
#pragma once

#include "core/prelude.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#else
#error "tapehead runs on x86-64 and arm64"
#endif

namespace tapehead {

// The four columns of the state of AES, each with its first row in the lowest byte, for CPUs
// without instructions for its rounds.
using AesColumns = std::array<std::uint32_t, 4>;
AesColumns aes_substituted(const AesColumns& state);  // SubBytes and ShiftRows
AesColumns aes_mixed(const AesColumns& state);        // SubBytes, ShiftRows and MixColumns

using Counter [[gnu::vector_size(16)]] = std::uint64_t;  // the lower half first
using CounterBytes [[gnu::vector_size(16)]] = std::uint8_t;
using CounterDraws [[gnu::vector_size(16)]] = std::uint16_t;

#if defined(__AES__)
inline Counter aes_round(Counter state, Counter key) {
  return reinterpret_cast<Counter>(
      _mm_aesenc_si128(reinterpret_cast<__m128i>(state), reinterpret_cast<__m128i>(key)));
}

inline Counter last_aes_round(Counter state, Counter key) {
  return reinterpret_cast<Counter>(
      _mm_aesenclast_si128(reinterpret_cast<__m128i>(state), reinterpret_cast<__m128i>(key)));
}
#elif defined(__ARM_FEATURE_AES)
// ARM's instruction adds a key before it substitutes; another one mixes columns.
inline uint8x16_t substituted(Counter state) {
  return vaeseq_u8(reinterpret_cast<uint8x16_t>(state), vdupq_n_u8(0));
}

inline Counter aes_round(Counter state, Counter key) {
  return reinterpret_cast<Counter>(vaesmcq_u8(substituted(state))) ^ key;
}

inline Counter last_aes_round(Counter state, Counter key) {
  return reinterpret_cast<Counter>(substituted(state)) ^ key;
}
#else
inline Counter aes_round(Counter state, Counter key) {
  return std::bit_cast<Counter>(aes_mixed(std::bit_cast<AesColumns>(state))) ^ key;
}

inline Counter last_aes_round(Counter state, Counter key) {
  return std::bit_cast<Counter>(aes_substituted(std::bit_cast<AesColumns>(state))) ^ key;
}
#endif

// The lower byte of each draw, first of one counter and then of the other.
inline CounterBytes lower_bytes(CounterBytes one, CounterBytes other) {
  return __builtin_shufflevector(one, other, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                 30);
}

// The highest bit of each byte.
inline std::uint16_t top_bits(CounterBytes bytes) {
#if defined(__x86_64__)
  return static_cast<std::uint16_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(bytes)));
#else
  const CounterBytes bits = (bytes >> 7)
                            << CounterBytes{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  const auto low = vaddv_u8(vget_low_u8(reinterpret_cast<uint8x16_t>(bits)));
  const auto high = vaddv_u8(vget_high_u8(reinterpret_cast<uint8x16_t>(bits)));
  return static_cast<std::uint16_t>(low | high << 8);
#endif
}

}  // namespace tapehead
