// Matrix products on row-major matrices, by whichever way is the faster.
#pragma once

#include "core/product/blas.hpp"
#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// c = a b (+ c), where a is (rows, depth) and b (depth, columns) after their transpositions. Unless
// it accumulates, what c held does not matter, NaN included.
void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                    Index c_stride, bool accumulate);

// c = a b + row, the same to each row of c.
void matrix_product_plus_row(Index rows, Index columns, Index depth, MatrixView a, MatrixView b,
                             const Scalar* row, Scalar* c, Index c_stride);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
