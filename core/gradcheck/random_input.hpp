// Inputs for gradient checks, given only by their shape: `random(7, 5)`.
#pragma once

#include <concepts>

#include "core/gradcheck/precision.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Numbers of magnitude 0.5 ... 1.5 with random signs, drawn by the checker: different for each
// input, the same in each run.
struct RandomInput {
  Shape shape;
};

template <std::convertible_to<Index>... Extent>
RandomInput random(Extent... extents) {
  return {{static_cast<Index>(extents)...}};
}

// The tensor that is drawn for input number `input`.
Tensor drawn(const RandomInput& random, std::size_t input);
inline Tensor drawn(const Tensor& tensor, std::size_t /*input*/) { return tensor; }

}}  // namespace tapehead::TAPEHEAD_PRECISION
