// Mistakes in the backward passes of the activations.
#pragma once

#include <numbers>

#include "tests/core/gradcheck/mutants/mistake.hpp"
#include "tests/core/gradcheck/mutants/row_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

using ScalarFunction = std::function<Scalar(Scalar)>;

// dx = dy ∘ slope(x + bias); dbias is the sum of dx over rows.
inline Spoil slope_is(const ScalarFunction& slope) {
  return as_of([slope](const Vars& x) { return with_slope(add(x[0], x[1]), slope); });
}

inline Scalar logistic(Scalar x) { return 1 / (1 + std::exp(-x)); }

// The terms of gelu's slope: (1 + t) / 2 + x (1 - t²) u' / 2, with t = tanh(u), u = c (x + k x³).
struct GeluParts {
  Scalar x;
  Scalar t;
  Scalar inner_slope;
};

inline GeluParts gelu_parts(Scalar x, Scalar k) {
  const Scalar c = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  return {.x = x, .t = std::tanh(c * (x + k * x * x * x)), .inner_slope = c * (1 + 3 * k * x * x)};
}

inline std::vector<Mistake> gelu_mistakes() {
  using enum WrongKind;
  const auto parts = [](Scalar x) { return gelu_parts(x, 0.044715); };
  return {
      {"bias_activation, gelu", {0, 1}, "0.044 for 0.044715", {term}, slope_is([](Scalar x) {
         const GeluParts p = gelu_parts(x, 0.044);
         return 0.5 * (1 + p.t + p.x * (1 - p.t * p.t) * p.inner_slope);
       })},
      {"bias_activation, gelu",
       {0, 1},
       "the second term left out",
       {term},
       slope_is([parts](Scalar x) { return 0.5 * (1 + parts(x).t); })},
      {"bias_activation, gelu",
       {0, 1},
       "the inner slope left out",
       {term},
       slope_is([parts](Scalar x) {
         const GeluParts p = parts(x);
         return 0.5 * (1 + p.t + p.x * (1 - p.t * p.t));
       })},
      {"bias_activation, gelu", {0, 1}, "1 - t for 1 - t²", {term}, slope_is([parts](Scalar x) {
         const GeluParts p = parts(x);
         return 0.5 * (1 + p.t + p.x * (1 - p.t) * p.inner_slope);
       })},
      {"bias_activation, gelu",
       {0, 1},
       "of the exact form, Φ(x) + x φ(x)",
       {term},
       slope_is([](Scalar x) {
         const Scalar below = 0.5 * (1 + std::erf(x / std::numbers::sqrt2));
         const Scalar density =
             std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
         return below + x * density;
       })},
      {"bias_activation, gelu", {0, 1}, "at x for x + bias", {term}, as_of([](const Vars& x) {
         const Var zeros = subtract(x[1], detached(x[1]));  // 0, but passes gradients to x[1]
         return bias_activation(x[0], zeros, Activation::gelu);
       })},
  };
}

inline std::vector<Mistake> activation_mistakes() {
  using enum WrongKind;
  return {
      {"bias_activation, relu", {0}, "1 everywhere", {too_many}, slope_is([](Scalar) {
         return 1;
       })},
      {"bias_activation, relu", {0}, "0.01 below zero", {too_many}, slope_is([](Scalar x) {
         return x > 0 ? 1 : 0.01;
       })},
      {"bias_activation, silu", {0, 1}, "the second term left out", {term}, slope_is(logistic)},
      {"bias_activation, silu", {0, 1}, "the first term left out", {term}, slope_is([](Scalar x) {
         return x * logistic(x) * (1 - logistic(x));
       })},
      {"bias_activation, silu", {0, 1}, "σ² for σ (1 - σ)", {term}, slope_is([](Scalar x) {
         return logistic(x) * (1 + x * logistic(x));
       })},
      {"bias_activation, tanh", {0, 1}, "1 - y", {term}, slope_is([](Scalar x) {
         return 1 - std::tanh(x);
       })},
      {"bias_activation, tanh", {0, 1}, "1 - x²", {term}, slope_is([](Scalar x) {
         return 1 - x * x;
       })},
      {"bias_activation, tanh", {0, 1}, "y (1 - y)", {term}, slope_is([](Scalar x) {
         return std::tanh(x) * (1 - std::tanh(x));
       })},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
