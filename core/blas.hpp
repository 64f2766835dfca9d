// The one door to BLAS: general matrix products on row-major matrices.
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// A row-major matrix as BLAS sees it: rows `stride` numbers apart; `transposed` means that its
// transpose is meant.
struct MatrixView {
  const Scalar* data;
  Index stride;
  bool transposed = false;
};

// c = a b + beta c, where a is (rows, depth) and b (depth, columns) after their transpositions.
// With beta = 0 what c held does not matter, NaN included.
void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar beta,
                    Scalar* c, Index c_stride);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
