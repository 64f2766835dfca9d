// The dropout mask of a matrix: drawn once in the forward pass, kept as bits for the backward pass.
#pragma once

#include <cstdint>

#include "core/keep_bits.hpp"
#include "core/pool.hpp"
#include "core/rows.hpp"
#include "core/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// What the numbers behind eight keep bits are multiplied by, 0 or 1 / (1 - probability), for each
// byte of bits.
class KeepFactors {
 public:
  explicit KeepFactors(const Dropout& dropout);  // of no use where the dropout is not active

  // Those of a vector of numbers, of sixteen whose bits are `keep`: from the first-th on.
  template <class Keep = xsimd::batch_bool<Scalar>>
  Lanes of(std::uint16_t keep, Index first) const {
    using Bits = typename Keep::register_type;
    if constexpr (8 * sizeof(Bits) == Keep::size) {  // AVX-512: a bit for each number
      return xsimd::select(Keep(static_cast<Bits>(keep >> first)), Lanes(scale_), Lanes(Scalar{0}));
    } else {
      return Lanes::load_unaligned(table_.row((keep >> (first & 8)) & 255) + (first & 7));
    }
  }

  // factors: eight for each byte
  void expand(const std::uint8_t* keep, Index bytes, Scalar* factors) const;

 private:
  Scalar scale_;
  Tensor table_;  // (256, 8)
};

class DropoutMask {
 public:
  DropoutMask(const Dropout& dropout, Index rows, Index columns);

  bool active() const { return static_cast<bool>(bits_); }

  // Memory for the factors of a row: none where the mask is not active.
  Tensor room() const;

  // The factors of a row, in the room.
  const Scalar* factors(Index row, Scalar* room) const;

 private:
  Index row_bytes_;
  KeepFactors factors_;
  Buffer bits_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
