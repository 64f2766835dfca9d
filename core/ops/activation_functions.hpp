// The activation functions. Each struct computes one function, and its slope, of a vector.
#pragma once

#include <numbers>

#include "core/choices.hpp"
#include "core/kernel/row_kernels.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Relu {
  static Lanes value(const Lanes& x) { return xsimd::max(x, Lanes(Scalar{0})); }
  static Lanes slope(const Lanes& x) {
    return xsimd::select(x > Lanes(Scalar{0}), Lanes(Scalar{1}), Lanes(Scalar{0}));
  }
};

// x Φ(x) (Hendrycks and Gimpel 2016).  Its slope is Φ(x) + x φ(x), where the normal distribution
// has Φ(x) = (1 + erf(x / √2)) / 2 and φ(x) = exp(-x² / 2) / √(2 π).
struct GeluExact {
  static constexpr Scalar root_half = static_cast<Scalar>(1 / std::numbers::sqrt2);

  static Lanes share(const Lanes& x) {
    return Lanes(Scalar(0.5)) * (Lanes(Scalar{1}) + xsimd::erf(x * Lanes(root_half)));
  }
  static Lanes value(const Lanes& x) { return x * share(x); }
  static Lanes slope(const Lanes& x) {
    const Lanes density = Lanes(root_half * static_cast<Scalar>(std::numbers::inv_sqrtpi)) *
                          xsimd::exp(x * x * Lanes(Scalar(-0.5)));
    return share(x) + x * density;
  }
};

// gelu'(x) = (1 + t) / 2 + x (1 - t²) u' / 2, with t = tanh(u), u = c (x + k x³), u' = c (1 + 3 k
// x²)
struct Gelu {
  static constexpr Scalar c = static_cast<Scalar>(std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
  static constexpr Scalar k = static_cast<Scalar>(0.044715);

  static Lanes inner(const Lanes& x) {
    return xsimd::tanh(Lanes(c) * x * (Lanes(Scalar{1}) + Lanes(k) * x * x));
  }
  static Lanes value(const Lanes& x) {
    return Lanes(Scalar(0.5)) * x * (Lanes(Scalar{1}) + inner(x));
  }
  static Lanes slope(const Lanes& x) {
    const Lanes one(Scalar{1});
    const Lanes t = inner(x);
    const Lanes inner_slope = Lanes(c) * (one + Lanes(3 * k) * x * x);
    return Lanes(Scalar(0.5)) * (one + t + x * (one - t * t) * inner_slope);
  }
};

// silu'(x) = σ(x) (1 + x (1 - σ(x)))
struct Silu {
  static Lanes sigmoid(const Lanes& x) {
    return Lanes(Scalar{1}) / (Lanes(Scalar{1}) + xsimd::exp(-x));
  }
  static Lanes value(const Lanes& x) { return x * sigmoid(x); }
  static Lanes slope(const Lanes& x) {
    const Lanes s = sigmoid(x);
    return s * (Lanes(Scalar{1}) + x * (Lanes(Scalar{1}) - s));
  }
};

struct Tanh {
  static Lanes value(const Lanes& x) { return xsimd::tanh(x); }
  static Lanes slope(const Lanes& x) {
    const Lanes t = xsimd::tanh(x);
    return Lanes(Scalar{1}) - t * t;
  }
};

// Calls use(function) with the struct of this activation.
template <class Use>
auto with_function(Activation activation, const Use& use) {
  switch (activation) {
    case Activation::relu:
      return use(Relu());
    case Activation::gelu:
      return use(Gelu());
    case Activation::gelu_exact:
      return use(GeluExact());
    case Activation::silu:
      return use(Silu());
    default:
      return use(Tanh());
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
