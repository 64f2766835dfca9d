// Mistakes in the backward pass of the gated activation.
#pragma once

#include "core/ops/concatenate.hpp"
#include "tests/core/gradcheck/mutants/activation_mistakes.hpp"
#include "tests/core/gradcheck/mutants/dropout_mistakes.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The gradients of combine(u + b, v + c), for x = (u, v) and the bias (b, c).
template <class Combine>
Spoil gated_as(const Combine& combine) {
  return as_of([combine](const Vars& x) {
    const Var sum = add(x[0], x[1]);
    const Index F = sum.shape()[1] / 2;
    return combine(slice(sum, 1, 0, F), slice(sum, 1, F, 2 * F));
  });
}

inline Var silu(const Var& x) {
  const Var zeros = x.tape().constant(Tensor::zeros({x.shape()[1]}));
  return bias_activation(x, zeros, Activation::silu);
}

// A mistake in only the value's or only the gate's gradient affects half of the columns of x and
// half of the bias.
inline std::vector<Mistake> gated_mistakes() {
  using enum WrongKind;
  return {
      {"gated_activation, silu",
       {0, 1},
       "no gradient through the gate",
       {some_columns, some_rows},
       gated_as([](const Var& u, const Var& v) { return multiply(u, detached(silu(v))); })},
      {"gated_activation, silu",
       {0, 1},
       "no gradient through the value",
       {some_columns, some_rows},
       gated_as([](const Var& u, const Var& v) { return multiply(detached(u), silu(v)); })},
      {"gated_activation, silu",
       {0, 1},
       "σ for the gate's slope",
       {some_columns, some_rows},
       gated_as([](const Var& u, const Var& v) {
         return multiply(u, add(detached(silu(v)), with_slope(v, logistic)));
       })},
      {"gated_activation, silu",
       {0, 1},
       "value and gate exchanged",
       {term},
       gated_as([](const Var& u, const Var& v) { return multiply(silu(u), v); })},
      {"gated_activation, silu, dropout",
       {0, 1},
       "another mask",
       {term},
       dropped_as(
           [](const Vars& x, const Dropout& d) {
             return gated_activation(x[0], x[1], Activation::silu, d);
           },
           another_dropout())},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
