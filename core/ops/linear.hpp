// Linear maps: y = x Wᵀ + b, which does nearly all of a transformer's arithmetic, the product of
// two matrices, and the transpose of one.
#pragma once

#include "core/product/packed_matrix.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = x Wᵀ.  x: (N, in), weight: (out, in); y: (N, out).  Throws ShapeError.
Var linear(const Var& x, const Var& weight);

// y = x Wᵀ + b.  bias: (out).
Var linear(const Var& x, const Var& weight, const Var& bias);

// y = x Wᵀ with only the first `out` rows of the weight: (N, out).
Var linear_with_first_rows(const Var& x, const Var& weight, Index out);

// y = x Wᵀ + b with as many of the first rows of the weight as the bias has numbers.
Var linear_with_first_rows(const Var& x, const Var& weight, const Var& bias);

// y = x Wᵀ + b with the rows first ... first + out - 1 of weight and bias: (N, out). `bias` may be
// null.
Var linear_with_rows(const Var& x, const Var& weight, const Var* bias, Index first, Index out);

// y = x Wᵀ + b for a weight that is packed as (in, out), for passes that record nothing. `bias` may
// be null.
Var packed_linear(const Var& x, const PackedMatrix& weight, const Var* bias);

// y = a b.  a: (N, K), b: (K, M); y: (N, M).  Throws ShapeError.
Var matmul(const Var& a, const Var& b);

// y = xᵀ.  x: (N, M); y: (M, N).  Throws ShapeError.
Var transpose(const Var& x);

}}  // namespace tapehead::TAPEHEAD_PRECISION
