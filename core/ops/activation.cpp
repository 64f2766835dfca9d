#include "core/ops/activation.hpp"

#include <numbers>

#include "core/kernel/row_kernels.hpp"
#include "core/memory/pool.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The activation functions of a vector of numbers, and their slopes.

struct Relu {
  static Lanes value(const Lanes& x) { return xsimd::max(x, Lanes(Scalar{0})); }
  static Lanes slope(const Lanes& x) {
    return xsimd::select(x > Lanes(Scalar{0}), Lanes(Scalar{1}), Lanes(Scalar{0}));
  }
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

// y = f(x + b) ∘ mask.  y may be x.
template <class Function>
void forward(const Tensor& x, const Tensor& bias, const DropoutMask& mask, Tensor& y) {
  mask.for_each_row([&](Index i, const auto& kept) {
    map_row(
        x.dim(1), y.row(i),
        [](const Lanes& a, const Lanes& b, const Lanes& m) { return Function::value(a + b) * m; },
        x.row(i), bias.data(), kept);
  });
}

// dx = f'(x + b) ∘ mask ∘ dy,  db = Σ_n dx.  dx may be dy.
template <class Function>
void backward(const Tensor& dy, const Tensor& x, const Tensor& bias, const DropoutMask& mask,
              Tensor& dx, Scalar* dbias) {
  mask.for_each_row([&](Index i, const auto& kept) {
    map_row(
        x.dim(1), dx.row(i),
        [](const Lanes& d, const Lanes& a, const Lanes& b, const Lanes& m) {
          return d * Function::slope(a + b) * m;
        },
        dy.row(i), x.row(i), bias.data(), kept);
    add_row(x.dim(1), dx.row(i), dbias);
  });
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
        backward<Function>(dy, x, bias, mask, dx, g.sum(1));
        g.add(0, std::move(dx));
      });
}

// dx = s dy where y > 0, and 0 elsewhere, where s is the factor of dropout;  db = Σ_n dx. dx may be
// dy.
void relu_backward(const Tensor& dy, const Tensor& y, Scalar s, Tensor& dx, Scalar* dbias) {
  const Index F = y.dim(1);
  for (Index i = 0; i < y.dim(0); ++i) {
    map_row(
        F, dx.row(i),
        [kept = Lanes(s), dropped = Lanes(Scalar{0})](const Lanes& d, const Lanes& a) {
          return d * xsimd::select(a > dropped, kept, dropped);
        },
        dy.row(i), y.row(i));
    add_row(F, dx.row(i), dbias);
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
  return x.tape().record("bias_activation", {x, bias}, y, [y, s](Gradients& g) {
    const Tensor dy = g.take_output();
    Tensor dx = dy.unique() ? dy : Tensor::empty(dy.shape());
    relu_backward(dy, y, s, dx, g.sum(1));
    g.add(0, std::move(dx));
  });
}

}  // namespace

Var bias_activation(Var x, const Var& bias, Activation activation, const Dropout& dropout) {
  const auto [N, F] = dims<2>(x, "bias_activation.x");
  expect_shape(bias, {F}, "bias_activation.bias for x", x);
  return with_function(activation, [&]<class Function>(Function) {
    if constexpr (std::is_same_v<Function, Relu>) {
      return relu(std::move(x), bias, dropout);
    } else {
      return smooth<Function>(x, bias, dropout);
    }
  });
}

namespace {

// y = (u + b) ∘ f(v + c) ∘ kept, for one row of x = (u, v) and the bias (b, c).
template <class Function, class Kept>
void forward_row(Index F, const Scalar* x, const Scalar* bias, const Kept& kept, Scalar* y) {
  map_row(
      F, y,
      [](const Lanes& u, const Lanes& b, const Lanes& v, const Lanes& c, const Lanes& m) {
        return (u + b) * Function::value(v + c) * m;
      },
      x, bias, x + F, bias + F, kept);
}

void store(Scalar* to, Index count, const Lanes& lanes) {
  if (count == lane_count) {
    lanes.store_unaligned(to);
  } else {
    store_some(to, count, lanes);
  }
}

// du = dy ∘ kept ∘ f(v + c),  dv = dy ∘ kept ∘ (u + b) ∘ f'(v + c).  Both in one loop, since value
// and slope have an exponential in common.
template <class Function, class Kept>
void backward_row(Index F, const Scalar* dy, const Scalar* x, const Scalar* bias, const Kept& kept,
                  Scalar* dx) {
  for (Index i = 0; i < F; i += lane_count) {
    const Index count = std::min(lane_count, F - i);
    const Lanes u = lanes_at(x, i, count) + lanes_at(bias, i, count);
    const Lanes v = lanes_at(x + F, i, count) + lanes_at(bias + F, i, count);
    const Lanes d = lanes_at(dy, i, count) * lanes_at(kept, i, count);
    store(dx + i, count, d * Function::value(v));
    store(dx + F + i, count, d * u * Function::slope(v));
  }
}

template <class Function>
Var gated(const Var& x, const Var& bias, const Dropout& dropout) {
  const Index N = x.shape()[0];
  const Index F = x.shape()[1] / 2;
  DropoutMask mask(dropout, N, F);
  Tensor y = Tensor::empty({N, F});
  mask.for_each_row([&](Index i, const auto& kept) {
    forward_row<Function>(F, x.value().row(i), bias.value().data(), kept, y.row(i));
  });
  return x.tape().record(
      "gated_activation", {x, bias}, std::move(y),
      [x = x.value(), bias = bias.value(), mask = std::move(mask), F](Gradients& g) {
        const Tensor& dy = g.output();
        Tensor dx = Tensor::empty(x.shape());
        Scalar* dbias = g.sum(1);
        mask.for_each_row([&](Index i, const auto& kept) {
          backward_row<Function>(F, dy.row(i), x.row(i), bias.data(), kept, dx.row(i));
          add_row(2 * F, dx.row(i), dbias);
        });
        g.add(0, std::move(dx));
      });
}

}  // namespace

Var gated_activation(const Var& x, const Var& bias, Activation activation, const Dropout& dropout) {
  const auto [N, columns] = dims<2>(x, "gated_activation.x");
  if (columns % 2 != 0) {
    wrong_shape("gated_activation.x", "an even number of columns", x.shape());
  }
  expect_shape(bias, {columns}, "gated_activation.bias for x", x);
  return with_function(activation,
                       [&]<class Function>(Function) { return gated<Function>(x, bias, dropout); });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
