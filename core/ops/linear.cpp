#include "core/ops/linear.hpp"

#include "core/kernel/row_kernels.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The gradient of an input of `columns` columns is a b.
void put_product(Gradients& g, Index input, Index rows, Index columns, Index depth,
                 const MatrixView& a, const MatrixView& b,
                 Precision precision = Precision::float32) {
  if (g.needs(input)) {
    const auto [to, accumulate] = g.target(input);
    matrix_product(rows, columns, depth, a, b, to, columns, accumulate, precision);
  }
}

// dx = dy W,  dW = dyᵀ x. dy belongs to the rows of W from `first` on; y did not use other rows.
void backward(Gradients& g, const Tensor& x, const Tensor& weight, Index first,
              Precision precision) {
  const Tensor& dy = g.output();
  const Index N = x.dim(0);
  const Index in = x.dim(1);
  const Index out = dy.dim(1);
  put_product(g, 0, N, in, out, {dy.data(), out}, {weight.row(first), in}, precision);
  if (g.needs(1)) {
    const auto [dweight, accumulate] = g.target(1);
    matrix_product(out, in, N, {dy.data(), out, true}, {x.data(), in}, dweight + first * in, in,
                   accumulate, precision);
    if (!accumulate) {
      std::fill_n(dweight, first * in, Scalar{0});
      std::fill(dweight + (first + out) * in, dweight + weight.size(), Scalar{0});
    }
  }
}

}  // namespace

Var linear(const Var& x, const Var& weight, const std::optional<Var>& bias) {
  return linear_with_rows(x, weight, bias, {.first = 0, .count = weight.shape()[0]});
}

Var linear_with_rows(const Var& x, const Var& weight, const std::optional<Var>& bias,
                     WeightRows rows, Precision precision) {
  const auto [first, out] = rows;
  const auto [N, in] = dims<2>(x, "linear.x");
  const auto [all, weight_in] = dims<2>(weight, "linear.weight");
  expect_shape(weight, {all, in}, "linear.weight for x", x);
  if (first < 0 || out < 0 || first + out > all) {
    throw ShapeError("linear.weight has {} rows: rows {} to {} cannot be taken", all, first,
                     first + out - 1);
  }
  const bool own_bias = bias && bias->shape() == Shape{out};
  if (bias && !own_bias) {
    expect_shape(*bias, {all}, "linear.bias for weight", weight);
  }
  const Index bias_first = own_bias ? 0 : first;
  Tensor y = Tensor::empty({N, out});
  matrix_product_plus_row(N, out, in, {x.value().data(), in}, {weight.value().row(first), in, true},
                          bias ? bias->value().data() + bias_first : nullptr, y.data(), out,
                          precision);
  const std::array inputs{x, weight, bias.value_or(x)};
  return x.tape().record("linear", std::span(inputs).first(bias ? 3 : 2), std::move(y),
                         [x = x.value(), weight = weight.value(), first = first, bias_first,
                          biased = bias.has_value(), precision](Gradients& g) {
                           backward(g, x, weight, first, precision);
                           if (biased && g.needs(2)) {  // db = Σ_n dy
                             Scalar* db = g.sum(2) + bias_first;
                             for (Index i = 0; i < x.dim(0); ++i) {
                               add_to(db, g.output().row(i), g.output().dim(1));
                             }
                           }
                         });
}

Var packed_linear(const Var& x, const PackedMatrix& weight, const std::optional<Var>& bias) {
  const auto [N, in] = dims<2>(x, "linear.x");
  expect_shape(x, {N, weight.depth()}, "linear.x");
  Tensor y = Tensor::empty({N, weight.columns()});
  const Start start = bias ? Start{bias->value().data(), 0} : Start{};
  weight.product(N, {x.value().data(), in}, start, y.data(), weight.columns());
  return x.tape().record("linear", {x}, std::move(y), [](Gradients&) {});
}

Var matmul(const Var& a, const Var& b) {
  const auto [N, K] = dims<2>(a, "matmul.a");
  const auto [b_rows, M] = dims<2>(b, "matmul.b");
  expect_shape(b, {K, M}, "matmul.b for a", a);
  Tensor y = Tensor::empty({N, M});
  matrix_product(N, M, K, {a.value().data(), K}, {b.value().data(), M}, y.data(), M, false);
  return a.tape().record("matmul", {a, b}, std::move(y),
                         [a = a.value(), b = b.value(), N = N, M = M, K = K](Gradients& g) {
                           const MatrixView dy{g.output().data(), M};  // da = dy bᵀ,  db = aᵀ dy
                           put_product(g, 0, N, K, M, dy, {b.data(), M, true});
                           put_product(g, 1, K, M, N, {a.data(), K, true}, dy);
                         });
}

namespace {

// to = fromᵀ, or to += fromᵀ, tile by tile. One of the two matrices is traversed against its rows.
// Within a tile, its cache lines are used again while they are cached.
void put_transposed(Index rows, Index columns, const Scalar* from, const GradientTarget& to) {
  constexpr Index tile = 16;
  for (Index row = 0; row < rows; row += tile) {
    for (Index column = 0; column < columns; column += tile) {
      for (Index i = row; i < std::min(row + tile, rows); ++i) {
        for (Index j = column; j < std::min(column + tile, columns); ++j) {
          Scalar& number = to.data[j * rows + i];
          number = to.accumulate ? number + from[i * columns + j] : from[i * columns + j];
        }
      }
    }
  }
}

}  // namespace

Var transpose(const Var& x) {
  const auto [N, M] = dims<2>(x, "transpose.x");
  Tensor y = Tensor::empty({M, N});
  put_transposed(N, M, x.value().data(), {y.data(), false});
  return x.tape().record("transpose", {x}, std::move(y), [N = N, M = M](Gradients& g) {
    put_transposed(M, N, g.output().data(), g.target(0));  // dx = dyᵀ
  });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
