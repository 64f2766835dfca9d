#include "core/ops/residual.hpp"

#include "core/kernel/vector_functions.hpp"
#include "core/ops/dropout_mask.hpp"
#include "core/ops/row_sums.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void forward(const Tensor& x, const Tensor& f, const Tensor& bias, const DropoutMask& mask,
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
void backward(const Tensor& dy, const DropoutMask& mask, Tensor& df, Scalar* dbias) {
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
  forward(x.value(), f.value(), bias.value(), mask, y);
  return x.tape().record("residual", {x, f, bias}, std::move(y),
                         [mask = std::move(mask)](Gradients& g) {
                           const Tensor dy = g.take_output();
                           Tensor df = mask.active() ? Tensor::empty(dy.shape()) : dy;
                           backward(dy, mask, df, g.sum(2));
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
