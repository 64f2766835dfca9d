// Compares an op with a reference: its value, and its gradients with differences of the reference.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <string>
#include <tuple>

#include "core/tape/tape.hpp"
#include "support/random_tensor.hpp"
#include "tests/reference/array.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

inline reference::Array array(const Tensor& x) { return xt::cast<double>(view(x)); }

// Each number is within the tolerance, as a share of the largest one or of 1.
inline void expect_near(const reference::Array& numbers, const reference::Array& expected,
                        double tolerance) {
  const double size = expected.size() == 0 ? 1.0 : std::max(1.0, xt::amax(xt::abs(expected))());
  EXPECT_THAT(numbers, ::testing::Pointwise(::testing::DoubleNear(tolerance * size), expected));
}

// The slope at 0 of a function of one number: five points, off by h⁴ / 30 of the fifth derivative.
template <class Function>
double slope(const Function& f) {
  constexpr double h = 1e-3;
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

// op takes a Var for each input, `of` an Array. Inputs stay 2e-3 away from kinks.
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
    reference::Array gradient = xt::zeros_like(arrays[k]);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      double& number = arrays[k].flat(i);
      gradient.flat(i) = slope([&, there = number](double step) {
        number = there + step;
        const double loss = xt::sum(weights * std::apply(of, arrays))();
        number = there;
        return loss;
      });
    }
    expect_near(array(tape.gradient(leaves[k])), gradient, fine ? 1e-8 : 2e-5);
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
