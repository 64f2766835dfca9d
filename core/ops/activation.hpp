// Activations of a feed-forward block, fused with bias, gate and dropout.
#pragma once

#include "core/choices.hpp"
#include "core/random/keep_bits.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = dropout(f(x + b)).  x: (N, F), bias: (F); y: (N, F).  Throws ShapeError. If x is moved in and
// nobody else holds its memory, y may overwrite it.
//   relu        max(x, 0)
//   gelu        x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2 (Hendrycks and Gimpel 2016)
//   gelu_exact  x Φ(x), which gelu approximates
//   silu        x σ(x)
//   tanh        tanh(x)
Var bias_activation(Var x, const Var& bias, Activation activation, const Dropout& dropout = {});

// y = dropout((u + b) ∘ f(v + c)). The columns of x are u and then the gate v; bias is b and then c
// (Shazeer 2020, equation 5: GEGLU with gelu, SwiGLU with silu).  x: (N, 2 F), bias: (2 F); y: (N,
// F). Throws ShapeError.
Var gated_activation(const Var& x, const Var& bias, Activation activation,
                     const Dropout& dropout = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
