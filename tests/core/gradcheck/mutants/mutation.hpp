// A mutation: a mistake that can be planted in any op.
#pragma once

#include "tests/core/gradcheck/mutants/mutant.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Mutation {
  std::string what;
  Expectation expected;
  // The op with the mistake in the gradient of one input, or of none in particular; nothing where
  // the mistake makes no difference.
  std::function<std::optional<GradcheckFunction>(const Specimen&, std::size_t input)> plant;
};

// Numbers of a size that no tolerance excuses.
inline bool differ(const Tensor& a, const Tensor& b) {
  const auto apart = [](Scalar x, Scalar y) {
    return std::abs(x - y) > 1e-5 * std::max(std::abs(x), std::abs(y)) + 1e-6;
  };
  return !std::ranges::equal(a.values(), b.values(), std::not_fn(apart));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
