// Normalisation of rows.
#pragma once

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = gain ∘ (x - μ) / √(σ² + ε) + bias, with each row's own mean μ and (biased) variance σ² (Ba et
// al. 2016). x: (N, D), gain, bias: (D); y: (N, D).  Throws ShapeError.
Var layer_norm(const Var& x, const Var& gain, const Var& bias, Scalar epsilon = Scalar(1e-5));

// y = gain ∘ x / √(mean(x²) + ε) (Zhang and Sennrich 2019).
Var rms_norm(const Var& x, const Var& gain, Scalar epsilon = Scalar(1e-5));

}}  // namespace tapehead::TAPEHEAD_PRECISION
