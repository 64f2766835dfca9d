#include "core/ops/residual.hpp"

#include "core/kernel/vector_functions.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Var residual(const Var& x, const Var& f, const Var& bias, const Dropout& dropout) {
  const auto [N, D] = dims<2>(x, "residual.x");
  expect_shape(f, {N, D}, "residual.f for x", x);
  expect_shape(bias, {D}, "residual.bias for x", x);
  DropoutMask mask(dropout, N, D);
  Tensor y = Tensor::empty(x.shape());
  const auto add = [](auto a, auto b, auto c, auto m) { return fused_multiply_add(b + c, m, a); };
  mask.for_each_row([&, D = D](Index i, const auto& kept) {
    map_row(D, y.row(i), add, x.value().row(i), f.value().row(i), bias.value().data(), kept);
  });
  return x.tape().record(
      "residual", {x, f, bias}, std::move(y), [mask = std::move(mask), D = D](Gradients& g) {
        const Tensor dy = g.take_output();  // df = mask ∘ dy,  db = Σ_n df
        Tensor df = mask.active() ? Tensor::empty(dy.shape()) : dy;
        Scalar* dbias = g.sum(2);
        for (Index i = 0; i < dy.dim(0); ++i) {
          if (mask.active()) {
            map_row(D, df.row(i), [](auto d, auto m) { return d * m; }, dy.row(i), mask.row(i));
          }
          add_row(D, df.row(i), dbias);
        }
        g.add(1, std::move(df));
        g.add(0, dy);
      });
}

Var dropout(const Var& x, const Dropout& dropout) {
  const auto [N, D] = dims<2>(x, "dropout.x");
  if (!dropout.active()) {
    return x;
  }
  const DropoutMask mask(dropout, N, D);
  Tensor y = Tensor::empty(x.shape());
  const auto times = [](const Lanes& a, const Lanes& m) { return a * m; };
  for (Index i = 0; i < N; ++i) {
    map_row(D, y.row(i), times, x.value().row(i), mask.row(i));
  }
  return x.tape().record("dropout", {x}, std::move(y), [mask, times](Gradients& g) {
    const Tensor dy = g.take_output();
    Tensor dx = dy.unique() ? dy : Tensor::empty(dy.shape());
    for (Index i = 0; i < dy.dim(0); ++i) {
      map_row(dy.dim(1), dx.row(i), times, dy.row(i), mask.row(i));
    }
    g.add(0, std::move(dx));
  });
}

namespace {

// The means along the two directions that a row's normalisation removes from its gradient.
struct Projections {
  Lanes along;  // mean(h ∘ x̂)
  Lanes mean;   // mean(h)
};

// Recomputes x̂ = (x - mean) scale from x. Returns the projections of h = gain ∘ dy.
Projections normalise(const Scalar* x, const Scalar* statistics, const Scalar* dy,
                      const Scalar* gain, bool centred, Index D, Scalar* normal) {
  const Lanes mean(statistics[0]);
  const Lanes scale(statistics[1]);
  Lanes along(Scalar{0});
  Lanes sum(Scalar{0});
  map_row(
      D, normal,
      [&](const Lanes& a, const Lanes& d, const Lanes& w) {
        const Lanes n = (a - mean) * scale;
        const Lanes h = d * w;
        along = fused_multiply_add(h, n, along);
        sum += h;
        return n;
      },
      x, dy, gain);
  const auto over = 1 / static_cast<Scalar>(D);
  return {Lanes(over * xsimd::hadd(along)), Lanes(centred ? over * xsimd::hadd(sum) : Scalar{0})};
}

// In one pass over the rows: dx = scale (h - x̂ mean(h ∘ x̂) - mean(h)), dgain = Σ_n dy ∘ x̂, dbias =
// Σ_n dy. RMS norm does not subtract a mean, so it lacks the last term of dx.
void norm_backward(Gradients& g, const Tensor& x, const Tensor& gain, const Tensor& statistics,
                   bool centred) {
  const Index D = x.dim(1);
  const Tensor& dy = g.output();
  Tensor normal = Tensor::empty({D});
  const GradientTarget dx = g.needs(0) ? g.target(0) : GradientTarget{};
  Scalar* dgain = g.sum(1);
  Scalar* dbias = centred ? g.sum(2) : nullptr;
  for (Index i = 0; i < x.dim(0); ++i) {
    const Scalar* at = statistics.row(i);
    const Projections h =
        normalise(x.row(i), at, dy.row(i), gain.data(), centred, D, normal.data());
    if (dgain != nullptr) {
      add_product(D, dy.row(i), normal.data(), dgain);
    }
    add_row(D, dy.row(i), dbias);
    if (dx.data != nullptr) {
      const auto f = [&h, scale = Lanes(at[1])](auto n, auto d, auto w) {
        return scale * (d * w - n * h.along - h.mean);
      };
      put_row(D, {dx.data + i * D, dx.accumulate}, f, normal.data(), dy.row(i), gain.data());
    }
  }
}

// Records a norm. fill(x, y, statistics) computes a row of y, and the mean and the scale of x.
template <class Fill>
Var norm_by_rows(const char* op, std::span<const Var> inputs, bool centred, const Fill& fill) {
  const Tensor& x = inputs[0].value();
  Tensor y = Tensor::empty(x.shape());
  Tensor statistics = Tensor::empty({x.dim(0), 2});
  for (Index i = 0; i < x.dim(0); ++i) {
    fill(x.row(i), y.row(i), statistics.row(i));
  }
  return inputs[0].tape().record(
      op, inputs, std::move(y),
      [x, gain = inputs[1].value(), statistics = std::move(statistics), centred](Gradients& g) {
        norm_backward(g, x, gain, statistics, centred);
      });
}

// 1 / √(mean + ε) of the D squares with this sum.
Scalar inverse_root(Scalar squares, Index D, Scalar epsilon) {
  return 1 / std::sqrt(squares / static_cast<Scalar>(D) + epsilon);
}

}  // namespace

Var layer_norm(const Var& x, const Var& gain, const Var& bias, Scalar epsilon) {
  const auto [N, D] = dims<2>(x, "layer_norm.x");
  expect_shape(gain, {D}, "layer_norm.gain for x", x);
  expect_shape(bias, {D}, "layer_norm.bias for x", x);
  const auto fill = [&, D = D](const Scalar* from, Scalar* to, Scalar* statistics) {
    const Scalar mean = total_row(D, from) / static_cast<Scalar>(D);
    const auto squared = [m = Lanes(mean)](const Lanes& a) { return (a - m) * (a - m); };
    const Scalar scale = inverse_root(sum_row(D, squared, from), D, epsilon);
    statistics[0] = mean;
    statistics[1] = scale;
    const auto f = [m = Lanes(mean), s = Lanes(scale)](auto a, auto w, auto b) {
      return fused_multiply_add((a - m) * s, w, b);
    };
    map_row(D, to, f, from, gain.value().data(), bias.value().data());
  };
  return norm_by_rows("layer_norm", std::array{x, gain, bias}, true, fill);
}

Var rms_norm(const Var& x, const Var& gain, Scalar epsilon) {
  const auto [N, D] = dims<2>(x, "rms_norm.x");
  expect_shape(gain, {D}, "rms_norm.gain for x", x);
  const auto fill = [&, D = D](const Scalar* from, Scalar* to, Scalar* statistics) {
    const Scalar squares = sum_row(D, [](const Lanes& a) { return a * a; }, from);
    statistics[0] = 0;
    statistics[1] = inverse_root(squares, D, epsilon);
    const auto f = [s = Lanes(statistics[1])](auto a, auto w) { return a * s * w; };
    map_row(D, to, f, from, gain.value().data());
  };
  return norm_by_rows("rms_norm", std::array{x, gain}, false, fill);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
