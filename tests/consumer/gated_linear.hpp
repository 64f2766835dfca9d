// A gated linear unit (Dauphin et al. 2017, equation 1), written with xtensor.
#pragma once

#include <tapehead/tapehead.hpp>
#include <tapehead/xtensor.hpp>

// y = a ∘ s, with a = x Wᵀ and s = σ(x Vᵀ).  x: (N, in), W, V: (out, in); y: (N, out).
inline tapehead::Var gated_linear(const tapehead::Var& x, const tapehead::Var& W,
                                  const tapehead::Var& V) {
  using namespace tapehead;
  using xt::transpose, xt::linalg::dot;
  const auto [N, in] = dims<2>(x, "gated_linear.x");
  const auto [out, width] = dims<2>(W, "gated_linear.W");
  expect_shape(W, {out, in}, "gated_linear.W for x", x);
  expect_shape(V, {out, in}, "gated_linear.V for x", x);
  const Tensor a = tensor(dot(view(x), transpose(view(W))));
  const Tensor s = tensor(1 / (1 + xt::exp(-dot(view(x), transpose(view(V))))));
  const Tensor y = tensor(view(a) * view(s));
  // da = dy ∘ s,  db = dy ∘ a ∘ s ∘ (1 - s);  dx = da W + db V,  dW = daᵀ x,  dV = dbᵀ x
  const auto backward = [x = x.value(), W = W.value(), V = V.value(), a, s](Gradients& g) {
    const Tensor da = tensor(view(g.output()) * view(s));
    const Tensor db = tensor(view(da) * view(a) * (1 - view(s)));
    g.add(0, tensor(dot(view(da), view(W)) + dot(view(db), view(V))));
    g.add(1, tensor(dot(transpose(view(da)), view(x))));
    g.add(2, tensor(dot(transpose(view(db)), view(x))));
  };
  return x.tape().record("gated_linear", {x, W, V}, y, backward);
}
