// The product of two matrices, and the transpose of one.
#pragma once

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = a b.  a: (N, K), b: (K, M); y: (N, M).  Throws ShapeError.
Var matmul(const Var& a, const Var& b);

// y = xᵀ.  x: (N, M); y: (M, N).  Throws ShapeError.
Var transpose(const Var& x);

}}  // namespace tapehead::TAPEHEAD_PRECISION
