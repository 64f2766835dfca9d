// An op whose backward pass a test supplies.
#pragma once

#include "core/gradcheck/gradcheck.hpp"
#include "tests/support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Backward pass of y = x ∘ x.
using SquareBackward = std::function<void(Gradients&, const Tensor& x)>;

inline Var square(const Var& x, const SquareBackward& backward) {
  Tensor y = Tensor::empty(x.shape());
  std::ranges::transform(x.value().values(), y.data(), [](Scalar a) { return a * a; });
  return x.tape().record("square", {x}, std::move(y),
                         [x = x.value(), backward](Gradients& g) { backward(g, x); });
}

// factor · 2 x dy: the correct gradient for factor = 1.
inline Tensor square_gradient(const Gradients& g, const Tensor& x, Scalar factor) {
  Tensor dx = Tensor::empty(x.shape());
  for (Index i = 0; i < x.size(); ++i) {
    dx.data()[i] = factor * 2 * x.data()[i] * g.output().data()[i];
  }
  return dx;
}

inline GradcheckReport check_square(const SquareBackward& backward) {
  return gradcheck([&](Tape&, const std::vector<Var>& x) { return square(x[0], backward); },
                   {random_tensor({3, 4}, 1)});
}

// y = x₁ + x₂, of one shape, with the backward pass of a test.
inline GradcheckFunction sum_with(const std::function<void(Gradients&)>& backward) {
  return [backward](Tape& tape, const std::vector<Var>& x) {
    expect_shape(x[1], x[0].shape(), "sum.x2");
    Tensor y = Tensor::empty(x[0].shape());
    std::ranges::transform(x[0].value().values(), x[1].value().values(), y.data(), std::plus<>());
    return tape.record("sum", x, std::move(y), [backward](Gradients& g) { backward(g); });
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
