// A mutation: a mistake that can be planted in any op.
#pragma once

#include "tests/core/gradcheck/mutants/mutant.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Mutation {
  std::string what;
  Expectation expected;
  // Returns the op with the mistake in the gradient of one input (mutations of a whole op ignore
  // `input`), or nullopt if the mistake makes no difference.
  std::function<std::optional<GradcheckFunction>(const Specimen&, std::size_t input)> plant;
};

// Whether the tensors differ by more than any tolerance allows.
inline bool differ(const Tensor& a, const Tensor& b) {
  const auto apart = [](Scalar x, Scalar y) {
    return std::abs(x - y) > 1e-5 * std::max(std::abs(x), std::abs(y)) + 1e-6;
  };
  return !std::ranges::equal(a.values(), b.values(), std::not_fn(apart));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
