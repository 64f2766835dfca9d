// Draws the keep bits of dropout in bulk. The generator encrypts 128-bit counters with rounds of
// AES (FIPS-197, section 5.1). Every CPU computes the same bits.
#pragma once

#include "core/random/draws.hpp"

namespace tapehead {

// Dropout with its probability and the address of its draws. Probability 0 means no dropout.
struct Dropout {
  double probability = 0;
  Draws draws;

  bool active() const { return probability > 0; }
  // The probability in units of 1/65536: a number is dropped if its 16 bits are below this
  // threshold. Even if the probability is almost 1, some numbers are kept.
  std::uint32_t threshold() const {
    return static_cast<std::uint32_t>(std::min(probability * 65536.0 + 0.5, 65535.0));
  }
  double scale() const { return 65536.0 / (65536.0 - threshold()); }
};

constexpr Index keep_lanes = 16;

// Draws for sixteen rows and eight columns: bit `lane` of the i-th result is draw i of the counter
// (block, row + lane row_step, step, salt). The generator is ARS with 5 rounds, which passes
// BigCrush (Salmon et al. 2011, table 2). The upper half of its key is 0.
std::array<std::uint16_t, 8> draw_keep_columns(const Dropout& dropout, std::uint32_t block,
                                               std::uint32_t row, std::uint32_t row_step,
                                               std::uint32_t salt);

// Draws the bits of `rows` rows of a matrix from row `first` on. Each row takes whole bytes, and
// rows follow each other. keep: room for keep_bytes(rows, columns) bytes.
void draw_keep_rows(const Dropout& dropout, Index first, Index rows, Index columns,
                    std::uint8_t* keep);

constexpr Index keep_row_bytes(Index columns) { return (columns + 7) / 8; }

// Bytes are drawn sixteen at a time, so a few may follow the last row.
constexpr Index keep_bytes(Index rows, Index columns) {
  return (rows * keep_row_bytes(columns) + keep_lanes - 1) / keep_lanes * keep_lanes;
}

// The columns of the AES state, first row in the lowest byte, for CPUs without AES.
using AesColumns = std::array<std::uint32_t, 4>;
AesColumns aes_substituted(const AesColumns& state);  // SubBytes and ShiftRows
AesColumns aes_mixed(const AesColumns& state);        // SubBytes, ShiftRows and MixColumns

}  // namespace tapehead
