// Random tensors for tests, equal in every run.
#pragma once

#include "core/random/draws.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Numbers drawn uniformly from `low` to `high`.
inline Tensor random_tensor(const Shape& shape, std::uint64_t seed, double low = -1,
                            double high = 1) {
  const Draws draws(seed, "tests.random_tensor", 0);
  Tensor result = Tensor::empty(shape);
  std::uint64_t index = 0;
  for (Scalar& number : result.values()) {
    number = static_cast<Scalar>(low + (high - low) * draw_uniform(draws, index++));
  }
  return result;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
