#include "core/ops/activation.hpp"

#include "core/memory/pool.hpp"
#include "core/ops/activation_functions.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// y = f(x + b) ∘ mask.  y and x may share memory.
template <class Function>
void forward(const Tensor& x, const Tensor& bias, const DropoutMask& mask, Tensor& y) {
  const auto f = [](auto a, auto b, auto m) { return Function::value(a + b) * m; };
  mask.for_each_row([&](Index i, const auto& kept) {
    map_row(x.dim(1), y.row(i), f, x.row(i), bias.data(), kept);
  });
}

template <class Function>
Var smooth(const Var& x, const Var& bias, const Dropout& dropout) {
  DropoutMask mask(dropout, x.shape()[0], x.shape()[1]);
  Tensor y = Tensor::empty(x.shape());
  forward<Function>(x.value(), bias.value(), mask, y);
  return x.tape().record(
      "bias_activation", {x, bias}, std::move(y),
      [x = x.value(), bias = bias.value(), mask = std::move(mask)](Gradients& g) {
        const Tensor dy = g.take_output();  // dx = f'(x + b) ∘ mask ∘ dy,  db = Σ_n dx
        Tensor dx = dy.unique() ? dy : Tensor::empty(dy.shape());
        Scalar* dbias = g.sum(1);
        const auto f = [](auto d, auto a, auto b, auto m) {
          return d * Function::slope(a + b) * m;
        };
        mask.for_each_row([&](Index i, const auto& kept) {
          map_row(x.dim(1), dx.row(i), f, dy.row(i), x.row(i), bias.data(), kept);
          add_row(x.dim(1), dx.row(i), dbias);
        });
        g.add(0, std::move(dx));
      });
}

// The gradient needs neither x nor the mask. y takes x's memory if nobody else reads x.
Var relu(Var&& x, const Var& bias, const Dropout& dropout) {
  const bool in_place = x.value().unique() && !checks().finite;  // an anomaly check reads x
  Tensor y = in_place ? x.value() : Tensor::empty(x.shape());
  forward<Relu>(x.value(), bias.value(), DropoutMask(dropout, y.dim(0), y.dim(1)), y);
  const Scalar s = dropout.active() ? static_cast<Scalar>(dropout.scale()) : Scalar{1};
  return x.tape().record("bias_activation", {x, bias}, y, [y, s](Gradients& g) {
    const Tensor dy = g.take_output();  // dx = s dy where y > 0, else 0;  db = Σ_n dx
    Tensor dx = dy.unique() ? dy : Tensor::empty(dy.shape());
    Scalar* dbias = g.sum(1);
    const Index F = y.dim(1);
    const auto f = [kept = Lanes(s), dropped = Lanes(Scalar{0})](auto d, auto a) {
      return d * xsimd::select(a > dropped, kept, dropped);
    };
    for (Index i = 0; i < y.dim(0); ++i) {
      map_row(F, dx.row(i), f, dy.row(i), y.row(i));
      add_row(F, dx.row(i), dbias);
    }
    g.add(0, std::move(dx));
  });
}

}  // namespace

Var bias_activation(Var x, const Var& bias, Activation activation, const Dropout& dropout) {
  const auto [N, F] = dims<2>(x, "bias_activation.x");
  expect_shape(bias, {F}, "bias_activation.bias for x", x);
  return with_function(activation, [&]<class Function>(Function) {
    if constexpr (std::is_same_v<Function, Relu>) {
      return relu(std::move(x), bias, dropout);
    } else {
      return smooth<Function>(x, bias, dropout);
    }
  });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
