// The linear map: the op that nearly all of a transformer's arithmetic is in.
#pragma once

#include "core/tape.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// y = x Wᵀ.  x: (N, in), weight: (out, in); y: (N, out).  Throws ShapeError.
Var linear(const Var& x, const Var& weight);

// y = x Wᵀ + b.  bias: (out).
Var linear(const Var& x, const Var& weight, const Var& bias);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
