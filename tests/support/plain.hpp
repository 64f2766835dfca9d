// Compares fused ops with compositions of plain ops, and reads dropout's factors.
#pragma once

#include "core/ops/residual.hpp"
#include "core/tape/tape.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

constexpr double plain_tolerance = sizeof(Scalar) == sizeof(double) ? 1e-12 : 2e-5;

// The value of a function of Vars, then its gradients by input for a random cotangent.
template <class Function, std::same_as<Tensor>... Input>
std::vector<Tensor> value_and_gradients(const Function& function, const Input&... inputs) {
  Tape tape;
  const std::array leaves{tape.variable(inputs)...};
  const Var y = std::apply(function, leaves);
  std::vector<Tensor> results{y.value().copy()};
  if (y.needs_gradient()) {
    tape.backward(y, random_tensor(y.shape(), 6));
  }
  for (const Var& leaf : leaves) {
    results.push_back(tape.gradient(leaf));
  }
  return results;
}

// Expects the same value and the same gradients from both functions, up to a few roundings of
// numbers near 1.
template <class Fused, class Plain, std::same_as<Tensor>... Input>
void expect_equals_plain(const Fused& fused, const Plain& plain, const Input&... inputs) {
  const std::vector<Tensor> ours = value_and_gradients(fused, inputs...);
  const std::vector<Tensor> theirs = value_and_gradients(plain, inputs...);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    SCOPED_TRACE(i == 0 ? "value" : "gradient of input " + std::to_string(i - 1));
    ASSERT_EQ(ours[i].shape(), theirs[i].shape());
    EXPECT_THAT(ours[i].values(), Pointwise(DoubleNear(plain_tolerance), theirs[i].values()));
  }
}

// The factors by which dropout multiplies a matrix of this shape.
inline Tensor dropout_factors(const Shape& shape, const Dropout& drop) {
  Tape tape(false);
  return dropout(tape.constant(Tensor::full(shape, 1)), drop).value();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
