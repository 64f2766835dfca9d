#include "core/ops/activation.hpp"

#include <numbers>
#include <utility>

#include "core/memory/pool.hpp"
#include "core/ops/dropout_mask.hpp"
#include "core/ops/row_sums.hpp"
#include "core/tape/dims.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

struct Relu {
  static Lanes value(const Lanes& x) { return xsimd::max(x, Lanes(Scalar{0})); }
};

// x Φ(x) (Hendrycks and Gimpel 2016), whose slope is Φ(x) + x φ(x), with the normal distribution's
// Φ(x) = (1 + erf(x / √2)) / 2 and φ(x) = exp(-x² / 2) / √(2 π).
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

// y = f(x + b) ∘ mask.  y may be x.
template <class Function>
void forward(const Tensor& x, const Tensor& bias, const DropoutMask& mask, Tensor& y) {
  const Index F = x.dim(1);
  for (Index i = 0; i < x.dim(0); ++i) {
    if (mask.active()) {
      map_row(
          F, y.row(i),
          [](const Lanes& a, const Lanes& b, const Lanes& m) { return Function::value(a + b) * m; },
          x.row(i), bias.data(), mask.row(i));
    } else {
      map_row(
          F, y.row(i), [](const Lanes& a, const Lanes& b) { return Function::value(a + b); },
          x.row(i), bias.data());
    }
  }
}

// dx = f'(x + b) ∘ mask ∘ dy,  db = Σ_n dx.  dx may be dy.
template <class Function>
void backward(const Tensor& dy, const Tensor& x, const Tensor& bias, const DropoutMask& mask,
              Tensor& dx, RowSums dbias) {
  const Index F = x.dim(1);
  for (Index i = 0; i < x.dim(0); ++i) {
    if (mask.active()) {
      map_row(
          F, dx.row(i),
          [](const Lanes& d, const Lanes& a, const Lanes& b, const Lanes& m) {
            return d * Function::slope(a + b) * m;
          },
          dy.row(i), x.row(i), bias.data(), mask.row(i));
    } else {
      map_row(
          F, dx.row(i),
          [](const Lanes& d, const Lanes& a, const Lanes& b) { return d * Function::slope(a + b); },
          dy.row(i), x.row(i), bias.data());
    }
    dbias.add(dx.row(i));
  }
}

template <class Function>
Var smooth(const Var& x, const Var& bias, const Dropout& dropout) {
  DropoutMask mask(dropout, x.shape()[0], x.shape()[1]);
  Tensor y = Tensor::empty(x.shape());
  forward<Function>(x.value(), bias.value(), mask, y);
  return x.tape().record(
      "bias_activation", {x, bias}, std::move(y),
      [x = x.value(), bias = bias.value(), mask = std::move(mask)](Gradients& g) {
        const Tensor dy = g.take_output();
        Tensor dx = dy.unique() ? dy : Tensor::empty(dy.shape());
        const TargetOrScratch dbias(g, 1, bias.shape());
        backward<Function>(dy, x, bias, mask, dx, RowSums(dbias.target(), x.dim(1)));
        g.add(0, std::move(dx));
      });
}

// dx = s dy where y > 0, and 0 elsewhere, where s is the factor of dropout;  db = Σ_n dx. dx may be
// dy.
void relu_backward(const Tensor& dy, const Tensor& y, Scalar s, Tensor& dx, RowSums dbias) {
  const Index F = y.dim(1);
  for (Index i = 0; i < y.dim(0); ++i) {
    map_row(
        F, dx.row(i),
        [kept = Lanes(s), dropped = Lanes(Scalar{0})](const Lanes& d, const Lanes& a) {
          return d * xsimd::select(a > dropped, kept, dropped);
        },
        dy.row(i), y.row(i));
    dbias.add(dx.row(i));
  }
}

// The memory of x itself, if nobody else will read it; otherwise new memory, also for an anomaly
// check, which reads x afterwards.
Tensor place_of_result(const Var& x) {
  return x.value().unique() && !checks().finite ? x.value() : Tensor::empty(x.shape());
}

// The gradient depends only on y, so neither x nor the mask is kept.
Var relu(Var&& x, const Var& bias, const Dropout& dropout) {
  Tensor y = place_of_result(x);
  forward<Relu>(x.value(), bias.value(), DropoutMask(dropout, y.dim(0), y.dim(1)), y);
  const Scalar s = dropout.active() ? static_cast<Scalar>(dropout.scale()) : Scalar{1};
  return x.tape().record("bias_activation", {x, bias}, y,
                         [y, s, bias_shape = bias.shape()](Gradients& g) {
                           const Tensor dy = g.take_output();
                           Tensor dx = dy.unique() ? dy : Tensor::empty(dy.shape());
                           const TargetOrScratch dbias(g, 1, bias_shape);
                           relu_backward(dy, y, s, dx, RowSums(dbias.target(), y.dim(1)));
                           g.add(0, std::move(dx));
                         });
}

}  // namespace

Var bias_activation(Var x, const Var& bias, Activation activation, const Dropout& dropout) {
  const auto [N, F] = dims<2>(x, "bias_activation.x");
  expect_shape(bias, {F}, "bias_activation.bias for x", x);
  switch (activation) {
    case Activation::relu:
      return relu(std::move(x), bias, dropout);
    case Activation::gelu:
      return smooth<Gelu>(x, bias, dropout);
    case Activation::gelu_exact:
      return smooth<GeluExact>(x, bias, dropout);
    case Activation::silu:
      return smooth<Silu>(x, bias, dropout);
    default:
      return smooth<Tanh>(x, bias, dropout);
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
