#include "core/ops/activation.hpp"

#include "core/memory/pool.hpp"
#include "core/ops/activation_functions.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// y = f(x + b) ∘ mask.  y and x may share memory.
template <class Function>
void forward(const Tensor& x, const Tensor& bias, const DropoutMask& mask, Tensor& y) {
  mask.for_each_row([&](Index i, const auto& kept) {
    map_row(
        x.dim(1), y.row(i),
        [](const Lanes& a, const Lanes& b, const Lanes& m) { return Function::value(a + b) * m; },
        x.row(i), bias.data(), kept);
  });
}

// dx = f'(x + b) ∘ mask ∘ dy,  db = Σ_n dx.  dx and dy may share memory.
template <class Function>
void backward(const Tensor& dy, const Tensor& x, const Tensor& bias, const DropoutMask& mask,
              Tensor& dx, Scalar* dbias) {
  mask.for_each_row([&](Index i, const auto& kept) {
    map_row(
        x.dim(1), dx.row(i),
        [](const Lanes& d, const Lanes& a, const Lanes& b, const Lanes& m) {
          return d * Function::slope(a + b) * m;
        },
        dy.row(i), x.row(i), bias.data(), kept);
    add_row(x.dim(1), dx.row(i), dbias);
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
        const Tensor dy = g.take_output();
        Tensor dx = dy.unique() ? dy : Tensor::empty(dy.shape());
        backward<Function>(dy, x, bias, mask, dx, g.sum(1));
        g.add(0, std::move(dx));
      });
}

// dx = s dy where y > 0, else 0;  db = Σ_n dx. s is the factor of dropout. dx and dy may share
// memory.
void relu_backward(const Tensor& dy, const Tensor& y, Scalar s, Tensor& dx, Scalar* dbias) {
  const Index F = y.dim(1);
  for (Index i = 0; i < y.dim(0); ++i) {
    map_row(
        F, dx.row(i),
        [kept = Lanes(s), dropped = Lanes(Scalar{0})](const Lanes& d, const Lanes& a) {
          return d * xsimd::select(a > dropped, kept, dropped);
        },
        dy.row(i), y.row(i));
    add_row(F, dx.row(i), dbias);
  }
}

// Returns the memory of x if nobody else reads x (an anomaly check does), otherwise new memory.
Tensor place_of_result(const Var& x) {
  return x.value().unique() && !checks().finite ? x.value() : Tensor::empty(x.shape());
}

// The gradient depends only on y, so the tape keeps neither x nor the mask.
Var relu(Var&& x, const Var& bias, const Dropout& dropout) {
  Tensor y = place_of_result(x);
  forward<Relu>(x.value(), bias.value(), DropoutMask(dropout, y.dim(0), y.dim(1)), y);
  const Scalar s = dropout.active() ? static_cast<Scalar>(dropout.scale()) : Scalar{1};
  return x.tape().record("bias_activation", {x, bias}, y, [y, s](Gradients& g) {
    const Tensor dy = g.take_output();
    Tensor dx = dy.unique() ? dy : Tensor::empty(dy.shape());
    relu_backward(dy, y, s, dx, g.sum(1));
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
