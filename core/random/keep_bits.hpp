// The random draws of dropout in bulk: one bit for each number of a row says whether it is kept.
// They are made with counters of 128 bits and the rounds of AES that mix them (FIPS-197, section
// 5.1). Every CPU computes the same.
#pragma once

#include "core/random/draws.hpp"

namespace tapehead {

// Dropout with its probability and the address of its draws. Probability 0 means no dropout.
struct Dropout {
  double probability = 0;
  Draws draws;

  bool active() const { return probability > 0; }
  // The probability in units of 1/65536, as it is applied: a number is dropped if its 16 bits are
  // below this. If the probability is below 1, some numbers are always kept.
  std::uint32_t threshold() const {
    return static_cast<std::uint32_t>(std::min(probability * 65536.0 + 0.5, 65535.0));
  }
  double scale() const { return 65536.0 / (65536.0 - threshold()); }
};

constexpr Index keep_lanes = 16;

// The draws of eight columns for each of sixteen rows: bit `lane` of the i-th result is draw i of
// the counter (block, row + lane row_step, step, salt). The generator is ARS with 5 rounds, which
// pass BigCrush (Salmon et al. 2011, table 2). The upper half of its key is 0.
std::array<std::uint16_t, 8> draw_keep_columns(const Dropout& dropout, std::uint32_t block,
                                               std::uint32_t row, std::uint32_t row_step,
                                               std::uint32_t salt);

// The bits of `rows` rows of a matrix from `first` on. Each row takes whole bytes, and rows follow
// each other. keep: keep_bytes(rows, columns) of them.
void draw_keep_rows(const Dropout& dropout, Index first, Index rows, Index columns,
                    std::uint8_t* keep);

constexpr Index keep_row_bytes(Index columns) { return (columns + 7) / 8; }

// Sixteen bytes are drawn at a time, so a few may follow the last row.
constexpr Index keep_bytes(Index rows, Index columns) {
  return (rows * keep_row_bytes(columns) + keep_lanes - 1) / keep_lanes * keep_lanes;
}

// The four columns of the state of AES, each with its first row in the lowest byte, for CPUs
// without instructions for its rounds.
using AesColumns = std::array<std::uint32_t, 4>;
AesColumns aes_substituted(const AesColumns& state);  // SubBytes and ShiftRows
AesColumns aes_mixed(const AesColumns& state);        // SubBytes, ShiftRows and MixColumns

}  // namespace tapehead
