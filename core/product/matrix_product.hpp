// Products of row-major matrices, by the faster of several ways.
#pragma once

#include "core/product/blas.hpp"
#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// c = a b (+ c), where a is (rows, depth) and b (depth, columns) after their transpositions. If it
// does not accumulate, the old content of c is ignored, even NaN.
void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                    Index c_stride, bool accumulate);

// c = a b + row: adds the same row to each row of c.
void matrix_product_plus_row(Index rows, Index columns, Index depth, MatrixView a, MatrixView b,
                             const Scalar* row, Scalar* c, Index c_stride);

}}  // namespace tapehead::TAPEHEAD_PRECISION
