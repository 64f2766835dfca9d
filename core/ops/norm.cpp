#include "core/ops/norm.hpp"

#include <cmath>

#include "core/dims.hpp"
#include "core/row_sums.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// What a row was shifted and scaled by: x̂ = (x - mean) scale.
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

Scalar* row_of(Tensor& statistics, Index i) { return statistics.data() + 2 * i; }
const Scalar* row_of(const Tensor& statistics, Index i) { return statistics.data() + 2 * i; }

void normalise(const Scalar* x, const Scalar* statistics, Index D, Scalar* normal) {
  map_row(
      D, normal,
      [m = Lanes(statistics[0]), s = Lanes(statistics[1])](const Lanes& a) { return (a - m) * s; },
      x);
}

// With h = gain ∘ dy: dx = scale (h - x̂ mean(h ∘ x̂) - mean(h)); RMS norm has no mean to take off,
// so no last term.
void backward_row(const Scalar* h, const Scalar* normal, Scalar scale, bool centred, Index D,
                  GradientTarget dx) {
  const auto over = 1 / static_cast<Scalar>(D);
  const Lanes along(over *
                    sum_row(D, [](const Lanes& a, const Lanes& b) { return a * b; }, h, normal));
  const Lanes mean(centred ? over * sum_row(D, [](const Lanes& a) { return a; }, h) : Scalar{0});
  const Lanes factor(scale);
  const auto value = [&](const Lanes& a, const Lanes& b) {
    return factor * (a - b * along - mean);
  };
  if (dx.accumulate) {
    map_row(
        D, dx.data, [&](const Lanes& a, const Lanes& b, const Lanes& c) { return c + value(a, b); },
        h, normal, dx.data);
  } else {
    map_row(D, dx.data, value, h, normal);
  }
}

// One pass over the rows: x̂ is made again from x and the row's statistics. dgain = Σ_n dy ∘ x̂,
// dbias = Σ_n dy.
void backward(Gradients& g, const Tensor& x, const Tensor& gain, const Tensor& statistics,
              bool centred) {
  const Index D = x.dim(1);
  const Tensor& dy = g.output();
  Tensor room = Tensor::empty({2, D});
  const TargetOrScratch dx(g, 0, x.shape());
  const TargetOrScratch dgain(g, 1, gain.shape());
  const bool biased = centred && g.needs(2);
  RowSums gain_sums(dgain.target(), D);
  RowSums bias_sums(biased ? g.target(2) : GradientTarget{.data = nullptr, .accumulate = true}, D);
  for (Index i = 0; i < x.dim(0); ++i) {
    Scalar* normal = room.row(0);
    Scalar* h = room.row(1);
    normalise(x.row(i), row_of(statistics, i), D, normal);
    map_row(D, h, [](const Lanes& a, const Lanes& b) { return a * b; }, dy.row(i), gain.data());
    gain_sums.add_product(dy.row(i), normal);
    if (biased) {
      bias_sums.add(dy.row(i));
    }
    backward_row(h, normal, row_of(statistics, i)[1], centred, D,
                 {.data = dx.target().data + i * D, .accumulate = dx.target().accumulate});
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
    row_of(rows, i)[0] = mean;
    row_of(rows, i)[1] = scale;
    map_row(
        D, y.row(i),
        [m = Lanes(mean), s = Lanes(scale)](const Lanes& a, const Lanes& w, const Lanes& b) {
          return xsimd::fma((a - m) * s, w, b);
        },
        x.value().row(i), gain.value().data(), bias.value().data());
  }
  return x.tape().record("layer_norm", {x, gain, bias}, std::move(y),
                         [x = x.value(), gain = gain.value(), rows = std::move(rows)](
                             Gradients& g) { backward(g, x, gain, rows, true); });
}

Var rms_norm(const Var& x, const Var& gain, Scalar epsilon) {
  const auto [N, D] = dims<2>(x, "rms_norm.x");
  expect_shape(gain, {D}, "rms_norm.gain for x", x);
  Tensor y = Tensor::empty(x.shape());
  Tensor rows = Tensor::empty({N, 2});
  for (Index i = 0; i < N; ++i) {
    const auto [mean, scale] = root_mean_square(x.value().row(i), D, epsilon);
    row_of(rows, i)[0] = mean;
    row_of(rows, i)[1] = scale;
    map_row(
        D, y.row(i), [s = Lanes(scale)](const Lanes& a, const Lanes& w) { return a * s * w; },
        x.value().row(i), gain.value().data());
  }
  return x.tape().record("rms_norm", {x, gain}, std::move(y),
                         [x = x.value(), gain = gain.value(), rows = std::move(rows)](
                             Gradients& g) { backward(g, x, gain, rows, false); });
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
