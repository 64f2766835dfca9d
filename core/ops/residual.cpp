#include "core/ops/residual.hpp"

#include "core/kernel/vector_functions.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void residual_forward(const Tensor& x, const Tensor& f, const Tensor& bias, const DropoutMask& mask,
                      Tensor& y) {
  mask.for_each_row([&](Index i, const auto& kept) {
    map_row(
        x.dim(1), y.row(i),
        [](const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& m) {
          return fused_multiply_add(b + c, m, a);
        },
        x.row(i), f.row(i), bias.data(), kept);
  });
}

// df = mask ∘ dy,  db = Σ_n df
void residual_backward(const Tensor& dy, const DropoutMask& mask, Tensor& df, Scalar* dbias) {
  const Index D = dy.dim(1);
  for (Index i = 0; i < dy.dim(0); ++i) {
    if (mask.active()) {
      map_row(
          D, df.row(i), [](const Lanes& d, const Lanes& m) { return d * m; }, dy.row(i),
          mask.row(i));
    }
    add_row(D, df.row(i), dbias);
  }
}

}  // namespace

Var residual(const Var& x, const Var& f, const Var& bias, const Dropout& dropout) {
  const auto [N, D] = dims<2>(x, "residual.x");
  expect_shape(f, {N, D}, "residual.f for x", x);
  expect_shape(bias, {D}, "residual.bias for x", x);
  DropoutMask mask(dropout, N, D);
  Tensor y = Tensor::empty(x.shape());
  residual_forward(x.value(), f.value(), bias.value(), mask, y);
  return x.tape().record("residual", {x, f, bias}, std::move(y),
                         [mask = std::move(mask)](Gradients& g) {
                           const Tensor dy = g.take_output();
                           Tensor df = mask.active() ? Tensor::empty(dy.shape()) : dy;
                           residual_backward(dy, mask, df, g.sum(2));
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

// The shift and the scale of a row: x̂ = (x - mean) scale.
struct RowStatistics {
  Scalar mean;
  Scalar scale;
};

RowStatistics statistics(const Scalar* x, Index D, Scalar epsilon) {
  const Scalar mean = sum_row(D, [](const Lanes& a) { return a; }, x) / static_cast<Scalar>(D);
  const auto squared = [m = Lanes(mean)](const Lanes& a) { return (a - m) * (a - m); };
  return {mean, 1 / std::sqrt(sum_row(D, squared, x) / static_cast<Scalar>(D) + epsilon)};
}

RowStatistics root_mean_square(const Scalar* x, Index D, Scalar epsilon) {
  const Scalar squares = sum_row(D, [](const Lanes& a) { return a * a; }, x);
  return {0, 1 / std::sqrt(squares / static_cast<Scalar>(D) + epsilon)};
}

// The means along the two directions that a row's normalisation removes from its gradient.
struct Projections {
  Lanes along;  // mean(h ∘ x̂)
  Lanes mean;   // mean(h)
};

// Recomputes x̂ from x and the row's statistics. Returns the projections of h = gain ∘ dy.
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

// dx = scale (h - x̂ mean(h ∘ x̂) - mean(h)). RMS norm does not subtract a mean, so it lacks the
// last term.
void backward_row(const Scalar* normal, const Scalar* dy, const Scalar* gain, Scalar scale,
                  const Projections& h, Index D, GradientTarget dx) {
  const auto value = [&, factor = Lanes(scale)](const Lanes& n, const Lanes& d, const Lanes& w) {
    return factor * (d * w - n * h.along - h.mean);
  };
  if (dx.accumulate) {
    map_row(
        D, dx.data,
        [&](const Lanes& n, const Lanes& d, const Lanes& w, const Lanes& so_far) {
          return so_far + value(n, d, w);
        },
        normal, dy, gain, dx.data);
  } else {
    map_row(D, dx.data, value, normal, dy, gain);
  }
}

// In one pass over the rows: dx, dgain = Σ_n dy ∘ x̂, dbias = Σ_n dy.
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
      backward_row(normal.data(), dy.row(i), gain.data(), at[1], h, D,
                   {dx.data + i * D, dx.accumulate});
    }
  }
}

}  // namespace

Var layer_norm(const Var& x, const Var& gain, const Var& bias, Scalar epsilon) {
  const auto [N, D] = dims<2>(x, "layer_norm.x");
  expect_shape(gain, {D}, "layer_norm.gain for x", x);
  expect_shape(bias, {D}, "layer_norm.bias for x", x);
  Tensor y = Tensor::empty(x.shape());
  Tensor rows = Tensor::empty({N, 2});
  for (Index i = 0; i < N; ++i) {
    const auto [mean, scale] = statistics(x.value().row(i), D, epsilon);
    rows.row(i)[0] = mean;
    rows.row(i)[1] = scale;
    map_row(
        D, y.row(i),
        [m = Lanes(mean), s = Lanes(scale)](const Lanes& a, const Lanes& w, const Lanes& b) {
          return fused_multiply_add((a - m) * s, w, b);
        },
        x.value().row(i), gain.value().data(), bias.value().data());
  }
  return x.tape().record("layer_norm", {x, gain, bias}, std::move(y),
                         [x = x.value(), gain = gain.value(), rows = std::move(rows)](
                             Gradients& g) { norm_backward(g, x, gain, rows, true); });
}

Var rms_norm(const Var& x, const Var& gain, Scalar epsilon) {
  const auto [N, D] = dims<2>(x, "rms_norm.x");
  expect_shape(gain, {D}, "rms_norm.gain for x", x);
  Tensor y = Tensor::empty(x.shape());
  Tensor rows = Tensor::empty({N, 2});
  for (Index i = 0; i < N; ++i) {
    const auto [mean, scale] = root_mean_square(x.value().row(i), D, epsilon);
    rows.row(i)[0] = mean;
    rows.row(i)[1] = scale;
    map_row(
        D, y.row(i), [s = Lanes(scale)](const Lanes& a, const Lanes& w) { return a * s * w; },
        x.value().row(i), gain.value().data());
  }
  return x.tape().record("rms_norm", {x, gain}, std::move(y),
                         [x = x.value(), gain = gain.value(), rows = std::move(rows)](
                             Gradients& g) { norm_backward(g, x, gain, rows, false); });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
