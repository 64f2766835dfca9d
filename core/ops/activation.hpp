// Bias, activation and dropout in one pass: the inside of a feed-forward block.
#pragma once

#include "core/ops/activation_kind.hpp"
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
