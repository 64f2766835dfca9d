// Bias, activation, gate and dropout in one pass: the inside of a feed-forward block.
#pragma once

#include "core/ops/choices.hpp"
#include "core/random/keep_bits.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = dropout(f(x + b)).  x: (N, F), bias: (F); y: (N, F).  Throws ShapeError. If x is moved in and
// nobody else holds its memory, that memory may be overwritten.
//   relu  max(x, 0)
//   gelu  x Φ(x), in the tanh form of Hendrycks and Gimpel 2016:
//         x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2
//   silu  x σ(x)
//   tanh  tanh(x)
Var bias_activation(Var x, const Var& bias, Activation activation, const Dropout& dropout = {});

// y = dropout((u + b) ∘ f(v + c)), where x is u and, in the columns after it, the gate v, and bias
// is b and c (Shazeer 2020, equation 5: GEGLU with gelu, SwiGLU with silu).  x: (N, 2 F), bias:
// (2 F); y: (N, F).  Throws ShapeError.
Var gated_activation(const Var& x, const Var& bias, Activation activation,
                     const Dropout& dropout = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
