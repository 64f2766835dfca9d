// Ops between blocks: the residual sum with bias and dropout, dropout alone, and norms of rows.
#pragma once

#include "core/random/keep_bits.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = x + dropout(f + b).  x, f: (N, D), bias: (D); y: (N, D).  Throws ShapeError.
Var residual(const Var& x, const Var& f, const Var& bias, const Dropout& dropout = {});

// y = dropout(x): each number becomes 0 with the dropout's probability, otherwise it is divided by
// 1 - probability (inverted dropout, Srivastava et al. 2014).
Var dropout(const Var& x, const Dropout& dropout);

// y = gain ∘ (x - μ) / √(σ² + ε) + bias, where μ and σ² are the mean and the (biased) variance of
// each row (Ba et al. 2016). x: (N, D), gain, bias: (D); y: (N, D).  Throws ShapeError.
Var layer_norm(const Var& x, const Var& gain, const Var& bias, Scalar epsilon = Scalar(1e-5));

// y = gain ∘ x / √(mean(x²) + ε) (Zhang and Sennrich 2019).  Throws ShapeError.
Var rms_norm(const Var& x, const Var& gain, Scalar epsilon = Scalar(1e-5));

}}  // namespace tapehead::TAPEHEAD_PRECISION
