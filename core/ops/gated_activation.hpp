// Bias, activation, gate and dropout in one pass: the inside of a gated feed-forward block.
#pragma once

#include "core/ops/activation_kind.hpp"
#include "core/random/keep_bits.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = dropout((u + b) ∘ f(v + c)), where x is u and, in the columns after it, the gate v, and bias
// is b and c (Shazeer 2020, equation 5: GEGLU with gelu, SwiGLU with silu).  x: (N, 2 F), bias:
// (2 F); y: (N, F).  Throws ShapeError.
Var gated_activation(const Var& x, const Var& bias, Activation activation,
                     const Dropout& dropout = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
