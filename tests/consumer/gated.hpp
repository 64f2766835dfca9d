// The inside of a gated linear unit (Dauphin et al. 2017, section 2).
#pragma once

#include <cmath>
#include <tapehead/tapehead.hpp>

// y = x ∘ σ(gate).  x, gate: (N, D); y: (N, D).
inline tapehead::Var gated(const tapehead::Var& x, const tapehead::Var& gate) {
  using namespace tapehead;
  const auto [N, D] = dims<2>(x, "gated.x");
  expect_shape(gate, {N, D}, "gated.gate");
  const auto sigmoid = [](Scalar a) { return 1 / (1 + std::exp(-a)); };
  Tensor y = Tensor::empty({N, D});
  for (Index i = 0; i < y.size(); ++i) {
    y.data()[i] = x.value().data()[i] * sigmoid(gate.value().data()[i]);
  }
  return x.tape().record("gated", {x, gate}, y,
                         [sigmoid, x = x.value(), gate = gate.value()](Gradients& g) {
                           Tensor dx = Tensor::empty(x.shape());
                           Tensor dgate = Tensor::empty(x.shape());
                           for (Index i = 0; i < x.size(); ++i) {
                             const Scalar s = sigmoid(gate.data()[i]);
                             dx.data()[i] = g.output().data()[i] * s;
                             dgate.data()[i] = g.output().data()[i] * x.data()[i] * s * (1 - s);
                           }
                           g.add(0, dx);
                           g.add(1, dgate);
                         });
}
