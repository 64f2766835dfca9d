// Dropout's random generator written out byte by byte: ARS (Salmon et al. 2011), which consists of
// AES rounds (FIPS-197).
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

using AesState = std::array<std::uint8_t, 16>;  // column by column, in the byte order of FIPS-197

// The product of two polynomials over GF(2) modulo x⁸ + x⁴ + x³ + x + 1 (FIPS-197, section 4.2).
inline std::uint8_t aes_times(std::uint8_t a, std::uint8_t b) {
  unsigned product = 0;
  for (int bit = 7; bit >= 0; --bit) {
    product = product << 1 ^ ((product & 0x80) != 0 ? 0x11B : 0);
    product ^= (b >> bit & 1) != 0 ? a : 0;
  }
  return static_cast<std::uint8_t>(product);
}

// The inverse x²⁵⁴ (0 for 0), then an affine map (FIPS-197, section 5.1.1).
inline std::uint8_t aes_substitute(std::uint8_t x) {
  std::uint8_t inverse = 1;
  for (int i = 0; i < 254; ++i) {
    inverse = aes_times(inverse, x);
  }
  std::uint8_t result = 0x63;
  for (int turn = 0; turn < 5; ++turn) {
    result = static_cast<std::uint8_t>(result ^ std::rotl(inverse, turn));
  }
  return result;
}

// SubBytes, ShiftRows, MixColumns if `mix`, AddRoundKey (FIPS-197, section 5.1).
inline AesState aes_round(const AesState& state, const AesState& key, bool mix) {
  AesState shifted;
  for (std::size_t i = 0; i < 16; ++i) {
    shifted[i] = aes_substitute(state[(i + 4 * (i % 4)) % 16]);
  }
  AesState next = shifted;
  for (std::size_t i = 0; mix && i < 16; ++i) {
    const auto below = [&](std::size_t rows) { return shifted[i / 4 * 4 + (i + rows) % 4]; };
    next[i] = static_cast<std::uint8_t>(aes_times(2, below(0)) ^ aes_times(3, below(1)) ^ below(2) ^
                                        below(3));
  }
  for (std::size_t i = 0; i < 16; ++i) {
    next[i] ^= key[i];
  }
  return next;
}

// The eight 16-bit draws of a counter: 5 rounds with the keys k, k + w, ..., k + 5 w. Keys have two
// halves of 64 bits, in which w is the golden ratio - 1 and √3 - 1.
inline std::array<std::uint16_t, 8> plain_draws(const std::array<std::uint32_t, 4>& counter,
                                                std::uint64_t key) {
  constexpr int rounds = 5;
  AesState state;
  for (std::size_t i = 0; i < 16; ++i) {
    state[i] = static_cast<std::uint8_t>(counter[i / 4] >> (8 * (i % 4)));
  }
  std::array<std::uint64_t, 2> halves{key, 0};
  for (int round = 0; round <= rounds; ++round) {
    AesState round_key;
    for (std::size_t i = 0; i < 16; ++i) {
      round_key[i] = static_cast<std::uint8_t>(halves[i / 8] >> (8 * (i % 8)));
    }
    if (round == 0) {
      for (std::size_t i = 0; i < 16; ++i) {
        state[i] ^= round_key[i];
      }
    } else {
      state = aes_round(state, round_key, round < rounds);
    }
    halves[0] += 0x9E3779B97F4A7C15;
    halves[1] += 0xBB67AE8584CAA73B;
  }
  std::array<std::uint16_t, 8> draws;
  for (std::size_t i = 0; i < 8; ++i) {
    draws[i] = static_cast<std::uint16_t>(state[2 * i] | state[2 * i + 1] << 8);
  }
  return draws;
}

}  // namespace tapehead
