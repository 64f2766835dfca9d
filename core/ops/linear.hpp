// The linear map: the op that nearly all of a transformer's arithmetic is in.
#pragma once

#include "core/product/packed_matrix.hpp"
#include "core/tape/tape.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// y = x Wᵀ.  x: (N, in), weight: (out, in); y: (N, out).  Throws ShapeError.
Var linear(const Var& x, const Var& weight);

// y = x Wᵀ + b.  bias: (out).
Var linear(const Var& x, const Var& weight, const Var& bias);

// y = x Wᵀ with the first `out` rows of the weight alone: (N, out).
Var linear_with_first_rows(const Var& x, const Var& weight, Index out);

// The same for a weight packed as (in, out), where nothing is recorded; no bias where it is null.
Var packed_linear(const Var& x, const PackedMatrix& weight, const Var* bias);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
