// Mistakes in the backward passes of the activations and of ops with dropout.
#pragma once

#include <numbers>

#include "core/ops/concatenate.hpp"
#include "tests/core/gradcheck/mutants/mistake.hpp"
#include "tests/core/gradcheck/mutants/row_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline Scalar logistic(Scalar x) { return 1 / (1 + std::exp(-x)); }

// gelu's slope is (1 + t + x (1 - t²) u') / 2, with t = tanh(u) and u = c (x + k x³). `terms` takes
// x, t and u', and makes what follows the 1.
template <class Terms>
std::function<Scalar(Scalar)> gelu_slope(const Terms& terms, Scalar k = 0.044715) {
  return [terms, k](Scalar x) {
    const Scalar c = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    const Scalar t = std::tanh(c * (x + k * x * x * x));
    return 0.5 * (1 + terms(x, t, c * (1 + 3 * k * x * x)));
  };
}

// Φ(x) + x φ(x)
inline Scalar exact_gelu_slope(Scalar x) {
  const Scalar density = std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)) + x * density;
}

inline std::vector<Mistake> activation_mistakes() {
  using enum WrongKind;
  struct WrongSlope {
    std::string activation;
    std::vector<std::size_t> inputs;
    std::string what;
    WrongKind kind;
    std::function<Scalar(Scalar)> slope;  // dx = dy ∘ slope(x + bias), dbias the sum over rows
  };
  const std::vector<std::size_t> both{0, 1};
  const auto right_terms = [](Scalar x, Scalar t, Scalar u) { return t + x * (1 - t * t) * u; };
  const auto no_second = [](Scalar, Scalar t, Scalar) { return t; };
  const auto no_inner = [](Scalar x, Scalar t, Scalar) { return t + x * (1 - t * t); };
  const auto no_square = [](Scalar x, Scalar t, Scalar u) { return t + x * (1 - t) * u; };
  const auto silu_second = [](Scalar x) { return x * logistic(x) * (1 - logistic(x)); };
  const auto silu_square = [](Scalar x) { return logistic(x) * (1 + x * logistic(x)); };
  const auto tanh_alone = [](Scalar x) { return std::tanh(x) * (1 - std::tanh(x)); };
  const std::vector<WrongSlope> slopes{
      {"relu", {0}, "1 everywhere", too_many, [](Scalar) { return 1; }},
      {"relu", {0}, "0.01 below zero", too_many, [](Scalar x) { return x > 0 ? 1 : 0.01; }},
      {"silu", both, "the second term left out", term, logistic},
      {"silu", both, "the first term left out", term, silu_second},
      {"silu", both, "σ² for σ (1 - σ)", term, silu_square},
      {"tanh", both, "1 - y", term, [](Scalar x) { return 1 - std::tanh(x); }},
      {"tanh", both, "1 - x²", term, [](Scalar x) { return 1 - x * x; }},
      {"tanh", both, "y (1 - y)", term, tanh_alone},
      {"gelu", both, "0.044 for 0.044715", term, gelu_slope(right_terms, 0.044)},
      {"gelu", both, "the second term left out", term, gelu_slope(no_second)},
      {"gelu", both, "the inner slope left out", term, gelu_slope(no_inner)},
      {"gelu", both, "1 - t for 1 - t²", term, gelu_slope(no_square)},
      {"gelu", both, "of the exact form, Φ(x) + x φ(x)", term, exact_gelu_slope},
  };
  std::vector<Mistake> mistakes;
  for (const auto& [activation, inputs, what, kind, slope] : slopes) {
    const auto gradient = [slope](const Vars& x) { return with_slope(add(x[0], x[1]), slope); };
    mistakes.push_back({"bias_activation, " + activation, inputs, what, {kind}, as_of(gradient)});
  }
  const auto without_bias = [](const Vars& x) {
    const Var zeros = subtract(x[1], detached(x[1]));  // 0, but passes gradients to x[1]
    return bias_activation(x[0], zeros, Activation::gelu);
  };
  mistakes.push_back(
      {"bias_activation, gelu", both, "at x for x + bias", {term}, as_of(without_bias)});
  return mistakes;
}

// A mistake in only the value's or only the gate's gradient affects half of the columns of x and
// half of the bias.
inline std::vector<Mistake> gated_mistakes() {
  using enum WrongKind;
  const std::string op = "gated_activation, silu";
  const auto silu = [](const Var& x) {
    const Var zeros = x.tape().constant(Tensor::zeros({x.shape()[1]}));
    return bias_activation(x, zeros, Activation::silu);
  };
  // The gradients of combine(u + b, v + c), for x = (u, v) and the bias (b, c).
  const auto gated_as = [](const std::function<Var(const Var& u, const Var& v)>& combine) {
    return as_of([combine](const Vars& x) {
      const Var sum = add(x[0], x[1]);
      const Index F = sum.shape()[1] / 2;
      return combine(slice(sum, 1, 0, F), slice(sum, 1, F, 2 * F));
    });
  };
  const Spoil no_gate =
      gated_as([silu](const Var& u, const Var& v) { return multiply(u, detached(silu(v))); });
  const Spoil no_value =
      gated_as([silu](const Var& u, const Var& v) { return multiply(detached(u), silu(v)); });
  const Spoil logistic_slope = gated_as([silu](const Var& u, const Var& v) {
    return multiply(u, add(detached(silu(v)), with_slope(v, logistic)));
  });
  const Spoil exchanged =
      gated_as([silu](const Var& u, const Var& v) { return multiply(silu(u), v); });
  const Spoil another_mask = as_of([](const Vars& x) {
    return gated_activation(x[0], x[1], Activation::silu, subject_dropout(mutant_seed + 1));
  });
  return {
      {op, {0, 1}, "no gradient through the gate", {some_columns, some_rows}, no_gate},
      {op, {0, 1}, "no gradient through the value", {some_columns, some_rows}, no_value},
      {op, {0, 1}, "σ for the gate's slope", {some_columns, some_rows}, logistic_slope},
      {op, {0, 1}, "value and gate exchanged", {term}, exchanged},
      {op + ", dropout", {0, 1}, "another mask", {term}, another_mask},
  };
}

// The gradients of an op with another dropout than its own.
struct OtherDropout {
  explicit OtherDropout(DroppedOp of) : op(std::move(of)) {}

  Spoil as(const Dropout& dropout, double factor = 1) const {
    return as_of(
        [made = op, dropout, factor](const Vars& x) { return scale(made(x, dropout), factor); });
  }
  Spoil none() const { return as({}); }
  Spoil another_mask() const { return as(subject_dropout(mutant_seed + 1)); }
  Spoil without_mask() const { return as({}, same.scale()); }
  // The right factor is same.scale(), which is 1 / (1 - p).
  Spoil without_factor() const { return as(same, 1 / same.scale()); }
  Spoil inverse_factor() const { return as(same, 1 / (same.scale() * same.scale())); }

  DroppedOp op;
  Dropout same = subject_dropout(mutant_seed);
};

inline std::vector<Mistake> dropout_mistakes() {
  using enum WrongKind;
  const std::string relu = "bias_activation, relu, dropout";
  const std::string gelu = "bias_activation, gelu, dropout";
  const std::string sum = "residual, dropout";
  const auto activated = [](Activation activation) {
    return OtherDropout([activation](const Vars& x, const Dropout& drop) {
      return bias_activation(x[0], x[1], activation, drop);
    });
  };
  const OtherDropout alone([](const Vars& x, const Dropout& drop) {
    return drop.active() ? dropout(x[0], drop) : scale(x[0], 1);
  });
  const OtherDropout of_relu = activated(Activation::relu);
  const OtherDropout of_gelu = activated(Activation::gelu);
  const OtherDropout of_sum(
      [](const Vars& x, const Dropout& drop) { return residual(x[0], x[1], x[2], drop); });
  const Spoil dropped_as_f = [](BackwardPass& pass) { pass.gradients[0] = pass.gradients[1]; };
  return {
      {"dropout", {0}, "1 / (1 - p) left out", {factor}, alone.without_factor()},
      {"dropout", {0}, "1 - p for 1 / (1 - p)", {factor}, alone.inverse_factor()},
      {"dropout", {0}, "the mask left out", {too_many}, alone.without_mask()},
      {"dropout", {0}, "no dropout", {term}, alone.none()},
      {"dropout", {0}, "another mask", {term}, alone.another_mask()},
      {relu, {0, 1}, "1 / (1 - p) left out", {factor}, of_relu.without_factor()},
      {relu, {0}, "the mask left out", {too_many}, of_relu.without_mask()},
      {relu, {1}, "the mask left out", {term, some_rows}, of_relu.without_mask()},
      {gelu, {0, 1}, "another mask", {term}, of_gelu.another_mask()},
      last_row_forgotten("residual", 2),
      {sum, {0}, "dropped as f is", {term}, dropped_as_f},
      {sum, {1}, "the mask left out", {too_many}, of_sum.without_mask()},
      {sum, {1}, "no dropout", {term}, of_sum.none()},
      {sum, {2}, "no dropout", {term}, of_sum.none()},
      {sum, {1, 2}, "another mask", {term, some_rows}, of_sum.another_mask()},
      {sum, {1, 2}, "1 / (1 - p) left out", {factor}, of_sum.without_factor()},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
