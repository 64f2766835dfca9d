// Inputs for gradient checks by their shape alone: `random(7, 5)`.
#pragma once

#include <concepts>

#include "core/gradcheck/precision.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Numbers of magnitude 0.5 ... 1.5, each with a random sign, which the checker draws: others for
// each input, the same ones each time.
struct RandomInput {
  Shape shape;
};

template <std::convertible_to<Index>... Extent>
RandomInput random(Extent... extents) {
  return {{static_cast<Index>(extents)...}};
}

// The tensor that stands for input number `input`.
Tensor drawn(const RandomInput& random, std::size_t input);
inline Tensor drawn(const Tensor& tensor, std::size_t /*input*/) { return tensor; }

}  // namespace tapehead::inline TAPEHEAD_PRECISION
