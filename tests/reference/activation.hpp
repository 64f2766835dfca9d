// The inner part of a feed-forward block, and the residual sum, by their formulas. `kept`:
// dropout's factors, 0 or 1 / (1 - probability).
#pragma once

#include <numbers>

#include "core/choices.hpp"
#include "tests/reference/array.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace reference {

// Hendrycks and Gimpel 2016, section 2
inline Array gelu(const Array& x) {
  return 0.5 * x * (1 + xt::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * xt::cube(x))));
}

inline Array activation(const Array& x, Activation kind) {
  switch (kind) {
    case Activation::relu:
      return xt::maximum(x, 0.0);
    case Activation::gelu:
      return gelu(x);
    case Activation::gelu_exact:
      return 0.5 * x * (1 + xt::erf(x / std::numbers::sqrt2));
    case Activation::silu:
      return x * logistic(x);
    default:
      return xt::tanh(x);
  }
}

// y = kept ∘ f(x + b)
inline Array bias_activation(const Array& x, const Array& b, Activation kind, const Array& kept) {
  return kept * activation(x + b, kind);
}

// y = kept ∘ (u + b) ∘ f(v + c), for x = (u, v) and bias = (b, c)
inline Array gated_activation(const Array& x, const Array& bias, Activation kind,
                              const Array& kept) {
  const std::size_t F = x.shape(1) / 2;
  const Array sum = x + bias;
  const Array value = xt::view(sum, xt::all(), xt::range(0, F));
  const Array gate = xt::view(sum, xt::all(), xt::range(F, 2 * F));
  return kept * value * activation(gate, kind);
}

// y = x + kept ∘ (f + b)
inline Array residual(const Array& x, const Array& f, const Array& b, const Array& kept) {
  return x + kept * (f + b);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::reference
