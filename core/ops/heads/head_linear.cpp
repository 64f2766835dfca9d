#include "core/ops/heads/head_linear.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/ops/row_parts.hpp"
#include "core/product/matrix_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// dx_h += dy_h W_h,  dW_h += dy_hᵀ x_h,  db_h += Σ_n dy_h. The weight has `out` rows for each head,
// which begin `step` rows after the last head's; 0: all heads share them.
void linear_backward(Gradients& g, const HeadMatrix& x, const Tensor& weight, Index out, Index step,
                     bool biased, Precision precision) {
  const Index N = x.rows();
  const Index in = x.width;
  const Index stride = x.heads * out;
  const HeadGradient dx(g, 0, x);
  Scalar* dweight = g.sum(1);
  Scalar* dbias = biased ? g.sum(2) : nullptr;
  for (Index h = 0; h < x.heads; ++h) {
    const Scalar* dy = g.output().data() + h * out;
    if (const auto [to, to_stride] = dx.rows_from(0, h); to != nullptr) {
      matrix_product(N, in, out, {dy, stride}, {weight.row(h * step), in}, to, to_stride, true,
                     precision);
    }
    if (dweight != nullptr) {
      matrix_product(out, in, N, {dy, stride, true}, {x.at(0, h), x.matrix.dim(1)},
                     dweight + h * step * in, in, true, precision);
    }
  }
  for_each_head(dbias == nullptr ? 0 : N, x.heads, [&](Index i, Index h) {
    add_to(dbias + h * step, g.output().row(i) + h * out, out);
  });
}

}  // namespace

Var head_linear(const HeadColumns& columns, const Var& weight, Index heads, Index out,
                const std::optional<Var>& bias, Precision precision) {
  const auto [N, all] = dims<2>(columns.matrix, "head_linear.x");
  const auto [rows, in] = dims<2>(weight, "head_linear.weight");
  if (rows != out && rows != heads * out) {
    wrong_shape("head_linear.weight",
                fmt::format("{} rows for each of {} heads, or one set for all heads", out, heads),
                weight.shape());
  }
  HeadMatrix x = checked_heads(columns, heads, in, "head_linear.x");
  if (bias) {
    expect_shape(*bias, {rows}, "head_linear.bias for weight", weight);
  }
  const Index step = rows == out ? 0 : out;
  Tensor y = Tensor::empty({N, heads * out});
  for (Index h = 0; h < heads; ++h) {
    const Index first = h * step;
    matrix_product_plus_row(N, out, in, {x.at(0, h), all}, {weight.value().row(first), in, true},
                            bias ? bias->value().data() + first : nullptr, y.data() + h * out,
                            heads * out, precision);
  }
  const std::array inputs{columns.matrix, weight, bias.value_or(weight)};
  return weight.tape().record(
      "head_linear", std::span(inputs).first(bias ? 3 : 2), std::move(y),
      [x = std::move(x), weight = weight.value(), out, step, biased = bias.has_value(),
       precision](Gradients& g) { linear_backward(g, x, weight, out, step, biased, precision); });
}

namespace {

constexpr Scalar low = Scalar(-0.1);                   // γ
constexpr Scalar high = Scalar(1.1);                   // ζ
constexpr Scalar temperature = Scalar(2) / Scalar(3);  // β

Scalar logistic(Scalar x) { return 1 / (1 + std::exp(-x)); }

// dlog_alpha = dy ∘ slopes. A result of one number has one dy for all slopes.
Var with_slopes(const char* op, const Var& log_alpha, Tensor result, Tensor slopes) {
  return log_alpha.tape().record(
      op, {log_alpha}, std::move(result), [slopes = std::move(slopes)](Gradients& g) {
        const Index step = g.output().size() == 1 ? 0 : 1;
        Tensor gradient = Tensor::empty(slopes.shape());
        for (Index h = 0; h < slopes.size(); ++h) {
          gradient.data()[h] = g.output().data()[h * step] * slopes.data()[h];
        }
        g.add(0, std::move(gradient));
      });
}

// z = min(1, max(0, (ζ - γ) s + γ)) with s = σ(factor (log_alpha + noise)). The slope is (ζ - γ)
// factor s (1 - s) where 0 < z < 1, else 0.
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
  return with_slopes(op, log_alpha, std::move(z), std::move(slopes));
}

}  // namespace

Var draw_gates(const Var& log_alpha, const Draws& draws) {
  dims<1>(log_alpha, "draw_gates.log_alpha");
  return gates("draw_gates", log_alpha, 1 / temperature, [&draws](Index gate) {
    // log u - log(1 - u). u is in the middle of its draw's interval, so it is never 0 or 1.
    const double u = draw_uniform(draws, static_cast<std::uint64_t>(gate)) + 0x1.0p-54;
    return static_cast<Scalar>(std::log(u) - std::log1p(-u));
  });
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
  return with_slopes("open_gates", log_alpha, Tensor::full({1}, open), std::move(slopes));
}

namespace {

// The factors of the heads in a row. A vector of factors serves all rows.
const Scalar* factors_at(const Tensor& factors, Index row) {
  return factors.shape().rank() == 2 ? factors.row(row) : factors.data();
}

// y_h = factor_h x_h
Tensor scaled(const HeadMatrix& x, const Tensor& factors) {
  Tensor y = Tensor::empty({x.rows(), x.heads * x.width});
  for_each_head(x.rows(), x.heads, [&](Index i, Index h) {
    scale_row(x.width, factors_at(factors, i)[h], x.at(i, h), y.row(i) + h * x.width);
  });
  return y;
}

// dx_h += factor_h dy_h. dy_h begins `step` columns after dy_{h-1}.
void scale_back(Gradients& g, const HeadMatrix& x, const Tensor& factors, Index step) {
  const HeadGradient dx(g, 0, x);
  for_each_head(g.needs(0) ? x.rows() : 0, x.heads, [&](Index i, Index h) {
    add_multiple(x.width, factors_at(factors, i)[h], g.output().row(i) + h * step, dx.at(i, h));
  });
}

// dfactors[h] += Σ_n dy_h · x_h
void sum_products(Gradients& g, const HeadMatrix& x, Index step) {
  Scalar* dfactors = g.sum(1);
  for_each_head(g.needs(1) ? x.rows() : 0, x.heads, [&](Index i, Index h) {
    dfactors[h] += dot_row(x.width, g.output().row(i) + h * step, x.at(i, h));
  });
}

}  // namespace

Var scale_heads(const HeadColumns& columns, const Var& factors, Index heads, Index width) {
  HeadMatrix x = checked_heads(columns, heads, width, "scale_heads.x");
  expect_shape(factors, {heads}, "scale_heads.factors");
  Tensor y = scaled(x, factors.value());
  return factors.tape().record("scale_heads", {columns.matrix, factors}, std::move(y),
                               [x = std::move(x), factors = factors.value()](Gradients& g) {
                                 scale_back(g, x, factors, x.width);
                                 sum_products(g, x, x.width);
                               });
}

Var drop_heads(const HeadColumns& columns, const Segments& segments, Index heads, Index width,
               const Dropout& dropout) {
  HeadMatrix x = checked_heads(columns, heads, width, "drop_heads.x");
  if (row_count(segments) != x.rows()) {
    wrong_shape("drop_heads.x", fmt::format("the {} rows of the segments", row_count(segments)),
                columns.matrix.shape());
  }
  // A row of factors, each 0 or 1 / (1 - probability), for each row of x.
  Tensor factors = Tensor::full({x.rows(), heads}, 1);
  const KeepFactors of_bits(dropout);
  PoolVector<std::uint8_t> bits(static_cast<std::size_t>(keep_bytes(1, heads)));
  for (const Segment& segment : segments.list) {
    if (!dropout.active()) {
      break;
    }
    draw_keep_rows(dropout, segment.row, 1, heads, bits.data());
    for (Index i = segment.row; i < segment.row + segment.rows; ++i) {
      map_row(heads, factors.row(i), std::identity(), KeepRow{bits.data(), &of_bits});
    }
  }
  Tensor y = scaled(x, factors);
  return columns.matrix.tape().record("drop_heads", {columns.matrix}, std::move(y),
                                      [x = std::move(x), factors = std::move(factors)](
                                          Gradients& g) { scale_back(g, x, factors, x.width); });
}

Var sum_heads(const HeadColumns& columns, const Var& weights, Index heads, Index width) {
  HeadMatrix x = checked_heads(columns, heads, width, "sum_heads.x");
  expect_shape(weights, {heads}, "sum_heads.weights");
  Tensor y = Tensor::empty({x.rows(), width});
  for_each_head(x.rows(), heads, [&](Index i, Index h) {
    const Scalar weight = weights.value().data()[h];
    h == 0 ? scale_row(width, weight, x.at(i, h), y.row(i))
           : add_multiple(width, weight, x.at(i, h), y.row(i));
  });
  return weights.tape().record("sum_heads", {columns.matrix, weights}, std::move(y),
                               [x = std::move(x), weights = weights.value()](Gradients& g) {
                                 scale_back(g, x, weights, 0);  // all heads have the same dy
                                 sum_products(g, x, 0);
                               });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
