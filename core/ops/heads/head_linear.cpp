#include "core/ops/heads/head_linear.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/kernel/row_kernels.hpp"
#include "core/product/matrix_product.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

struct Sizes {
  Index N;
  Index heads;
  Index in;
  Index out;
  Index weight_step;  // numbers from one head's matrix to the next; 0: shared
};

Sizes check(const HeadColumns& x, const Var& weight, Index heads, Index out) {
  const auto [N, columns] = dims<2>(x.matrix, "head_linear.x");
  const auto [rows, in] = dims<2>(weight, "head_linear.weight");
  if (rows != out && rows != heads * out) {
    wrong_shape("head_linear.weight",
                fmt::format("{} rows for each of {} heads, or for all", out, heads),
                weight.shape());
  }
  expect_heads(x, N, heads, in, "head_linear.x");
  return {.N = N, .heads = heads, .in = in, .out = out, .weight_step = rows == out ? 0 : out * in};
}

// dx_h += dy_h W_h,  dW_h += dy_hᵀ x_h
void backward(Gradients& g, const HeadMatrix& x, const Tensor& weight, const Sizes& sizes) {
  const Index stride = sizes.heads * sizes.out;
  const HeadGradient dx(g, 0, x);
  const HeadGradient dweight(g, 1, {weight, 0, sizes.weight_step});
  for (Index h = 0; h < sizes.heads; ++h) {
    const Scalar* dy = g.output().data() + h * sizes.out;
    if (g.needs(0)) {
      matrix_product(sizes.N, sizes.in, sizes.out, {dy, stride},
                     {weight.data() + h * sizes.weight_step, sizes.in}, dx.at(0, h), dx.stride(),
                     true);
    }
    if (g.needs(1)) {
      matrix_product(sizes.out, sizes.in, sizes.N, {dy, stride, true},
                     {x.at(0, h), x.matrix.dim(1)}, dweight.at(0, h), sizes.in, true);
    }
  }
}

// db_h += Σ_n dy_h
void bias_backward(Gradients& g, const Tensor& bias, const Sizes& sizes) {
  if (g.needs(2)) {
    const HeadGradient dbias(g, 2, {bias, 0, sizes.weight_step == 0 ? 0 : sizes.out});
    for (Index i = 0; i < sizes.N; ++i) {
      for (Index h = 0; h < sizes.heads; ++h) {
        add_to(dbias.at(0, h), g.output().row(i) + h * sizes.out, sizes.out);
      }
    }
  }
}

Tensor products(const HeadMatrix& x, const Tensor& weight, const Sizes& sizes, const Scalar* bias) {
  const Index columns = sizes.heads * sizes.out;
  Tensor y = Tensor::empty({sizes.N, columns});
  for (Index h = 0; h < sizes.heads; ++h) {
    const MatrixView head{x.at(0, h), x.matrix.dim(1)};
    const MatrixView map{weight.data() + h * sizes.weight_step, sizes.in, true};
    if (bias == nullptr) {
      matrix_product(sizes.N, sizes.out, sizes.in, head, map, y.data() + h * sizes.out, columns,
                     false);
    } else {
      matrix_product_plus_row(sizes.N, sizes.out, sizes.in, head, map,
                              bias + (sizes.weight_step == 0 ? 0 : h * sizes.out),
                              y.data() + h * sizes.out, columns);
    }
  }
  return y;
}

}  // namespace

Var head_linear(const HeadColumns& columns, const Var& weight, Index heads, Index out) {
  const Sizes sizes = check(columns, weight, heads, out);
  HeadMatrix x(columns, sizes.in);
  Tensor y = products(x, weight.value(), sizes, nullptr);
  return weight.tape().record("head_linear", {columns.matrix, weight}, std::move(y),
                              [x = std::move(x), weight = weight.value(), sizes](Gradients& g) {
                                backward(g, x, weight, sizes);
                              });
}

Var head_linear(const HeadColumns& columns, const Var& weight, const Var& bias, Index heads,
                Index out) {
  const Sizes sizes = check(columns, weight, heads, out);
  expect_shape(bias, {weight.shape()[0]}, "head_linear.bias for weight", weight);
  HeadMatrix x(columns, sizes.in);
  Tensor y = products(x, weight.value(), sizes, bias.value().data());
  return weight.tape().record(
      "head_linear", {columns.matrix, weight, bias}, std::move(y),
      [x = std::move(x), weight = weight.value(), bias = bias.value(), sizes](Gradients& g) {
        backward(g, x, weight, sizes);
        bias_backward(g, bias.part(0, {1, bias.size()}), sizes);
      });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
