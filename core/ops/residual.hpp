// The residual sum with bias and dropout in one pass, and dropout by itself.
#pragma once

#include "core/random/keep_bits.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = x + dropout(f + b).  x, f: (N, D), bias: (D); y: (N, D).  Throws ShapeError.
Var residual(const Var& x, const Var& f, const Var& bias, const Dropout& dropout = {});

// y = dropout(x): each number 0 with the probability, else divided by 1 - probability (Srivastava
// et al. 2014, inverted).
Var dropout(const Var& x, const Dropout& dropout);

}}  // namespace tapehead::TAPEHEAD_PRECISION
