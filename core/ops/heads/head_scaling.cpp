#include "core/ops/heads/head_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/ops/dropout_mask.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr Scalar low = Scalar(-0.1);                   // γ
constexpr Scalar high = Scalar(1.1);                   // ζ
constexpr Scalar temperature = Scalar(2) / Scalar(3);  // β

Scalar logistic(Scalar x) { return 1 / (1 + std::exp(-x)); }

// log u - log(1 - u), where u is in the middle of the interval of a draw, so never 0 or 1.
Scalar draw_noise(const Draws& draws, Index gate) {
  const double u = draw_uniform(draws, static_cast<std::uint64_t>(gate)) + 0x1.0p-54;
  return static_cast<Scalar>(std::log(u) - std::log1p(-u));
}

// z = min(1, max(0, (ζ - γ) σ(factor (log_alpha + noise)) + γ))
Var gates(const char* op, const Var& log_alpha, Scalar factor, const auto& noise) {
  const Index H = log_alpha.shape()[0];
  Tensor z = Tensor::empty({H});
  Tensor slopes = Tensor::empty({H});
  for (Index h = 0; h < H; ++h) {
    const Scalar s = logistic(factor * (log_alpha.value().data()[h] + noise(h)));
    const Scalar stretched = (high - low) * s + low;
    const bool between = stretched > 0 && stretched < 1;
    z.data()[h] = std::clamp(stretched, Scalar{0}, Scalar{1});
    slopes.data()[h] = between ? factor * (high - low) * s * (1 - s) : 0;
  }
  return log_alpha.tape().record(
      op, {log_alpha}, std::move(z), [slopes = std::move(slopes)](Gradients& g) {
        // dlog_alpha = dz (ζ - γ) factor s (1 - s) where 0 < z < 1, else 0
        Tensor gradient = Tensor::empty(slopes.shape());
        std::transform(slopes.data(), slopes.data() + slopes.size(), g.output().data(),
                       gradient.data(), std::multiplies<>());
        g.add(0, std::move(gradient));
      });
}

}  // namespace

Var draw_gates(const Var& log_alpha, const Draws& draws) {
  dims<1>(log_alpha, "draw_gates.log_alpha");
  return gates("draw_gates", log_alpha, 1 / temperature,
               [&draws](Index gate) { return draw_noise(draws, gate); });
}

Var settled_gates(const Var& log_alpha) {
  dims<1>(log_alpha, "settled_gates.log_alpha");
  return gates("settled_gates", log_alpha, 1, [](Index /*gate*/) { return Scalar{0}; });
}

Var open_gates(const Var& log_alpha) {
  const auto [H] = dims<1>(log_alpha, "open_gates.log_alpha");
  const Scalar shift = temperature * std::log(-low / high);
  Tensor slopes = Tensor::empty({H});
  Scalar open = 0;
  for (Index h = 0; h < H; ++h) {
    const Scalar p = logistic(log_alpha.value().data()[h] - shift);
    open += p;
    slopes.data()[h] = p * (1 - p);
  }
  return log_alpha.tape().record(
      "open_gates", {log_alpha}, Tensor::full({1}, open),
      [slopes = std::move(slopes)](Gradients& g) {
        // dlog_alpha = dy p (1 - p)
        Tensor gradient = Tensor::empty(slopes.shape());
        std::transform(slopes.data(), slopes.data() + slopes.size(), gradient.data(),
                       [dy = g.output().data()[0]](Scalar slope) { return dy * slope; });
        g.add(0, std::move(gradient));
      });
}

namespace {

void scale_row(Index width, Scalar factor, const Scalar* from, Scalar* to) {
  map_row(width, to, [f = Lanes(factor)](const Lanes& a) { return f * a; }, from);
}

// to += factor from
void add_scaled(Index width, Scalar factor, const Scalar* from, Scalar* to) {
  map_row(
      width, to,
      [f = Lanes(factor)](const Lanes& a, const Lanes& b) { return fused_multiply_add(f, a, b); },
      from, to);
}

}  // namespace

Var scale_heads(const HeadColumns& columns, const Var& factors, Index heads, Index width) {
  const Index N = dims<2>(columns.matrix, "scale_heads.x")[0];
  expect_heads(columns, N, heads, width, "scale_heads.x");
  expect_shape(factors, {heads}, "scale_heads.factors");
  HeadMatrix x(columns, width);
  Tensor y = Tensor::empty({N, heads * width});
  for (Index i = 0; i < N; ++i) {
    for (Index h = 0; h < heads; ++h) {
      scale_row(width, factors.value().data()[h], x.at(i, h), y.row(i) + h * width);
    }
  }
  return factors.tape().record(
      "scale_heads", {columns.matrix, factors}, std::move(y),
      [x = std::move(x), factors = factors.value(), heads, width](Gradients& g) {
        // dx_h += factors[h] dy_h,  dfactors[h] += Σ_n dy_h · x_h
        const HeadGradient dx(g, 0, x);
        const HeadGradient dfactors(g, 1, {factors.part(0, {1, heads}), 0, 1});
        for (Index i = 0; i < x.rows(); ++i) {
          for (Index h = 0; h < heads; ++h) {
            const Scalar* dy = g.output().row(i) + h * width;
            if (g.needs(0)) {
              add_scaled(width, factors.data()[h], dy, dx.at(i, h));
            }
            if (g.needs(1)) {
              *dfactors.at(0, h) += dot_row(width, dy, x.at(i, h));
            }
          }
        }
      });
}

Var drop_heads(const HeadColumns& columns, const Segments& segments, Index heads, Index width,
               const Dropout& dropout) {
  const Index N = dims<2>(columns.matrix, "drop_heads.x")[0];
  expect_heads(columns, N, heads, width, "drop_heads.x");
  if (row_count(segments) != N) {
    wrong_shape("drop_heads.x", fmt::format("the {} rows of the segments", row_count(segments)),
                columns.matrix.shape());
  }
  // A row of factors, 0 or 1 / (1 - probability), for each row of x.
  Tensor factors = Tensor::empty({N, heads});
  const KeepFactors of_bits(dropout);
  PoolVector<std::uint8_t> bits(static_cast<std::size_t>(keep_bytes(1, heads)));
  for (const Segment& segment : segments.list) {
    if (dropout.active()) {
      draw_keep_rows(dropout, segment.row, 1, heads, bits.data());
    }
    for (Index i = segment.row; i < segment.row + segment.rows; ++i) {
      if (dropout.active()) {
        map_row(
            heads, factors.row(i), [](const Lanes& m) { return m; },
            KeepRow{bits.data(), &of_bits});
      } else {
        std::fill_n(factors.row(i), heads, Scalar{1});
      }
    }
  }
  HeadMatrix x(columns, width);
  Tensor y = Tensor::empty({N, heads * width});
  for (Index i = 0; i < N; ++i) {
    for (Index h = 0; h < heads; ++h) {
      scale_row(width, factors.row(i)[h], x.at(i, h), y.row(i) + h * width);
    }
  }
  return columns.matrix.tape().record(
      "drop_heads", {columns.matrix}, std::move(y),
      [x = std::move(x), factors = std::move(factors), heads, width](Gradients& g) {
        // dx_h += factor dy_h
        const HeadGradient dx(g, 0, x);
        for (Index i = 0; i < x.rows(); ++i) {
          for (Index h = 0; h < heads; ++h) {
            add_scaled(width, factors.row(i)[h], g.output().row(i) + h * width, dx.at(i, h));
          }
        }
      });
}

Var sum_heads(const HeadColumns& columns, const Var& weights, Index heads, Index width) {
  const Index N = dims<2>(columns.matrix, "sum_heads.x")[0];
  expect_heads(columns, N, heads, width, "sum_heads.x");
  expect_shape(weights, {heads}, "sum_heads.weights");
  HeadMatrix x(columns, width);
  Tensor y = Tensor::empty({N, width});
  for (Index i = 0; i < N; ++i) {
    scale_row(width, weights.value().data()[0], x.at(i, 0), y.row(i));
    for (Index h = 1; h < heads; ++h) {
      add_scaled(width, weights.value().data()[h], x.at(i, h), y.row(i));
    }
  }
  return weights.tape().record(
      "sum_heads", {columns.matrix, weights}, std::move(y),
      [x = std::move(x), weights = weights.value(), heads, width](Gradients& g) {
        // dx_h += weights[h] dy,  dweights[h] += Σ_n dy · x_h
        const HeadGradient dx(g, 0, x);
        const HeadGradient dweights(g, 1, {weights.part(0, {1, heads}), 0, 1});
        for (Index i = 0; i < x.rows(); ++i) {
          for (Index h = 0; h < heads; ++h) {
            if (g.needs(0)) {
              add_scaled(width, weights.data()[h], g.output().row(i), dx.at(i, h));
            }
            if (g.needs(1)) {
              *dweights.at(0, h) += dot_row(width, g.output().row(i), x.at(i, h));
            }
          }
        }
      });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
