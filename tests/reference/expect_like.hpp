// Compares an op with a reference: the value, and gradients with differences of the reference.
#pragma once

#include "core/tape/tape.hpp"
#include "tests/reference/array.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline reference::Array array(const Tensor& x) { return xt::cast<double>(view(x)); }

// Tolerance as a share of the largest expected number, or of 1 if that is larger.
inline void expect_near(const reference::Array& numbers, const reference::Array& expected,
                        double tolerance) {
  const double size = expected.size() == 0 ? 1.0 : std::max(1.0, xt::amax(xt::abs(expected))());
  EXPECT_THAT(numbers, Pointwise(DoubleNear(tolerance * size), expected));
}

// The slope of f at 0 from five points; the error is h⁴ / 30 times the fifth derivative.
template <class Function>
double slope(const Function& f) {
  constexpr double h = 1e-3;
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

// Compares the gradient of one input with slopes of the loss: at up to 200 elements (ten for a
// large input), and along one direction that includes all elements.
template <class Loss>
void expect_slopes(const reference::Array& gradient, reference::Array& input, const Loss& loss,
                   double tolerance) {
  const std::size_t step = gradient.size() / (gradient.size() < 2000 ? 200 : 10) + 1;
  std::vector<double> ours;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < gradient.size(); i += step) {
    double& number = input.flat(i);
    ours.push_back(gradient.flat(i));
    slopes.push_back(slope([&, there = number](double h) {
      number = there + h;
      const double result = loss();
      number = there;
      return result;
    }));
  }
  const reference::Array there = input;
  const Tensor numbers = random_tensor({static_cast<Index>(input.size())}, 9);
  const reference::Array direction = xt::reshape_view(array(numbers), input.shape());
  ours.push_back(xt::sum(gradient * direction)());
  const double length = std::sqrt(static_cast<double>(input.size()));
  slopes.push_back(length * slope([&](double h) {
                     input = there + h / length * direction;
                     return loss();
                   }));
  input = there;
  expect_near(xt::adapt(ours), xt::adapt(slopes), tolerance);
}

// `op` takes a Var per input, `of` an Array per input. Inputs must be 2e-3 away from kinks.
template <class Reference, class Op, std::same_as<Tensor>... Input>
void expect_like(const Reference& of, const Op& op, const Input&... inputs) {
  constexpr bool fine = sizeof(Scalar) == sizeof(double);
  Tape tape;
  const std::array leaves{tape.variable(inputs)...};
  const Var y = std::apply(op, leaves);
  std::array arrays{array(inputs)...};
  const reference::Array expected = std::apply(of, arrays);
  ASSERT_EQ(y.shape(), xtensor_view::shape_of(expected));
  {
    SCOPED_TRACE("value");
    expect_near(array(y.value()), expected, fine ? 1e-12 : 2e-5);
  }
  const Tensor cotangent = random_tensor(y.shape(), 6);
  ASSERT_TRUE(y.needs_gradient());
  tape.backward(y, cotangent);
  const reference::Array weights = xt::reshape_view(array(cotangent), expected.shape());
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    SCOPED_TRACE("gradient of input " + std::to_string(k));
    const auto loss = [&] { return xt::sum(weights * std::apply(of, arrays))(); };
    expect_slopes(array(tape.gradient(leaves[k])), arrays[k], loss, fine ? 1e-8 : 2e-5);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
