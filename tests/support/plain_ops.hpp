// The fused ops put together from plain ones.
#pragma once

#include <cmath>
#include <numbers>
#include <span>

#include "core/ops/activation.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/matmul.hpp"
#include "core/ops/reduce.hpp"
#include "core/ops/softmax.hpp"
#include "tests/support/plain.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Each row's mean, in every column of it.
inline Var row_means(const Var& x) {
  const Index D = x.shape()[1];
  return matmul(x, x.tape().constant(Tensor::full({D, D}, 1 / static_cast<Scalar>(D))));
}

// x / √(mean(x²) + 1e-5) = x exp(-ln(mean(x²) + 1e-5) / 2)
inline Var over_root_mean_square(const Var& x) {
  const Var epsilon = x.tape().constant(Tensor::full(x.shape(), static_cast<Scalar>(1e-5)));
  return multiply(x, exp(scale(log(add(row_means(multiply(x, x)), epsilon)), -0.5)));
}

inline Var plain_layer_norm(const Var& x, const Var& gain, const Var& bias) {
  return add(multiply(over_root_mean_square(subtract(x, row_means(x))), gain), bias);
}

inline Var plain_rms_norm(const Var& x, const Var& gain) {
  return multiply(over_root_mean_square(x), gain);
}

inline Var add_number(const Var& x, double number) {
  return add(x, x.tape().constant(Tensor::full(x.shape(), static_cast<Scalar>(number))));
}

// σ(x) = 1 / (1 + exp(-x)) = exp(-ln(1 + exp(-x)))
inline Var plain_sigmoid(const Var& x) {
  return exp(scale(log(add_number(exp(scale(x, -1)), 1)), -1));
}

// tanh(x) = 2 σ(2x) - 1
inline Var plain_tanh(const Var& x) { return add_number(scale(plain_sigmoid(scale(x, 2)), 2), -1); }

inline Var plain_activation(const Var& x, Activation activation) {
  if (activation == Activation::relu) {
    Tensor positive = Tensor::empty(x.shape());
    for (Index i = 0; i < x.value().size(); ++i) {
      positive.data()[i] = x.value().data()[i] > 0 ? 1 : 0;
    }
    return multiply(x, x.tape().constant(positive));
  }
  if (activation == Activation::gelu) {
    const Var cubic = add(x, scale(multiply(x, multiply(x, x)), static_cast<Scalar>(0.044715)));
    const auto slope = static_cast<Scalar>(std::sqrt(2 / std::numbers::pi));
    const Var inner = plain_tanh(scale(cubic, slope));
    return scale(multiply(x, add_number(inner, 1)), 0.5);
  }
  return activation == Activation::silu ? multiply(x, plain_sigmoid(x)) : plain_tanh(x);
}

// -Σ_n Σ_v q_nv log p_nv, with q = (1 - smoothing) onehot + smoothing / V
inline Var plain_cross_entropy(const Var& logits, std::span<const TokenId> targets,
                               double smoothing) {
  const Index V = logits.shape()[1];
  Tensor q = one_hot(targets, V);
  for (Scalar& number : q.values()) {
    number = static_cast<Scalar>((1 - smoothing) * number + smoothing / static_cast<double>(V));
  }
  return scale(sum(multiply(log_softmax(logits), logits.tape().constant(q))), -1);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
