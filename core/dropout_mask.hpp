// The dropout mask of a matrix: drawn once in the forward pass, kept as bits for the backward pass.
#pragma once

#include "core/keep_bits.hpp"
#include "core/pool.hpp"
#include "core/scalar.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class DropoutMask {
 public:
  DropoutMask(const Dropout& dropout, Index rows, Index columns);

  bool active() const { return static_cast<bool>(bits_); }

  // What each number of a row is multiplied by, 0 or 1 / (1 - probability); `room` must hold
  // keep_row_bytes(columns) * 8 numbers. `draw` makes the bits, `factors` reads them.
  const Scalar* draw(Index row, Scalar* room) const;
  const Scalar* factors(Index row, Scalar* room) const;

 private:
  std::uint8_t* bits(Index row) const;

  Dropout dropout_;
  Index columns_;
  Buffer bits_;
};

// The eight factors of a byte of bits, all times `scale`.
void expand_keep_bits(const std::uint8_t* keep, Index bytes, Scalar scale, Scalar* factors);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
