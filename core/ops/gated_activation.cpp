#include "core/ops/activation.hpp"

#include "core/ops/activation_functions.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void store(Scalar* to, Index count, const Lanes& lanes) {
  if (count == lane_count) {
    lanes.store_unaligned(to);
  } else {
    store_some(to, count, lanes);
  }
}

// du = dy ∘ kept ∘ f(v + c),  dv = dy ∘ kept ∘ (u + b) ∘ f'(v + c), for one row of x = (u, v) and
// the bias (b, c).  One loop computes both, because value and slope share an exponential.
template <class Function, class Kept>
void backward(Index F, const Scalar* dy, const Scalar* x, const Scalar* bias, const Kept& kept,
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

// y = (u + b) ∘ f(v + c) ∘ kept
template <class Function>
Var gated(const Var& x, const Var& bias, const Dropout& dropout) {
  const Index N = x.shape()[0];
  const Index F = x.shape()[1] / 2;
  const Scalar* b_and_c = bias.value().data();
  DropoutMask mask(dropout, N, F);
  Tensor y = Tensor::empty({N, F});
  const auto f = [](auto u, auto b, auto v, auto c, auto m) {
    return (u + b) * Function::value(v + c) * m;
  };
  mask.for_each_row([&](Index i, const auto& kept) {
    const Scalar* row = x.value().row(i);
    map_row(F, y.row(i), f, row, b_and_c, row + F, b_and_c + F, kept);
  });
  return x.tape().record(
      "gated_activation", {x, bias}, std::move(y),
      [x = x.value(), bias = bias.value(), mask = std::move(mask), F](Gradients& g) {
        const Tensor& dy = g.output();
        Tensor dx = Tensor::empty(x.shape());
        Scalar* dbias = g.sum(1);
        mask.for_each_row([&](Index i, const auto& kept) {
          backward<Function>(F, dy.row(i), x.row(i), bias.data(), kept, dx.row(i));
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
