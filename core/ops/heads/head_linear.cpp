#include "core/ops/heads/head_linear.hpp"

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
  Index bias_step;    // the same for biases
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
  const bool shared = rows == out;
  return {N, heads, in, out, shared ? 0 : out * in, shared ? 0 : out};
}

// dx_h += dy_h W_h,  dW_h += dy_hᵀ x_h,  db_h += Σ_n dy_h
void backward(Gradients& g, const HeadMatrix& x, const Tensor& weight, const Sizes& sizes,
              bool biased) {
  const auto& [N, heads, in, out, weight_step, bias_step] = sizes;
  const Index stride = heads * out;
  const HeadGradient dx(g, 0, x);
  Scalar* dweight = g.sum(1);
  Scalar* dbias = biased ? g.sum(2) : nullptr;
  for (Index h = 0; h < heads; ++h) {
    const Scalar* dy = g.output().data() + h * out;
    if (g.needs(0)) {
      matrix_product(N, in, out, {dy, stride}, {weight.data() + h * weight_step, in}, dx.at(0, h),
                     dx.stride(), true);
    }
    if (dweight != nullptr) {
      matrix_product(out, in, N, {dy, stride, true}, {x.at(0, h), x.matrix.dim(1)},
                     dweight + h * weight_step, in, true);
    }
  }
  for (Index i = 0; i < N && dbias != nullptr; ++i) {
    for (Index h = 0; h < heads; ++h) {
      add_to(dbias + h * bias_step, g.output().row(i) + h * out, out);
    }
  }
}

}  // namespace

Var head_linear(const HeadColumns& columns, const Var& weight, Index heads, Index out,
                const std::optional<Var>& bias) {
  const Sizes sizes = check(columns, weight, heads, out);
  if (bias) {
    expect_shape(*bias, {weight.shape()[0]}, "head_linear.bias for weight", weight);
  }
  HeadMatrix x(columns, sizes.in);
  Tensor y = Tensor::empty({sizes.N, heads * out});
  for (Index h = 0; h < heads; ++h) {
    const MatrixView head{x.at(0, h), x.matrix.dim(1)};
    const MatrixView map{weight.value().data() + h * sizes.weight_step, sizes.in, true};
    Scalar* to = y.data() + h * out;
    if (bias) {
      matrix_product_plus_row(sizes.N, out, sizes.in, head, map,
                              bias->value().data() + h * sizes.bias_step, to, heads * out);
    } else {
      matrix_product(sizes.N, out, sizes.in, head, map, to, heads * out, false);
    }
  }
  const std::array inputs{columns.matrix, weight, bias.value_or(weight)};
  return weight.tape().record(
      "head_linear", std::span(inputs).first(bias ? 3 : 2), std::move(y),
      [x = std::move(x), weight = weight.value(), sizes, biased = bias.has_value()](Gradients& g) {
        backward(g, x, weight, sizes, biased);
      });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
