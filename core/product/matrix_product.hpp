// Products of row-major matrices, by the faster of several ways.
#pragma once

#include "core/product/broadcast_product.hpp"
#include "core/product/packed_matrix.hpp"
#include "core/scalar.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// c = start + a b in blocks that fit into the caches, where a is (rows, depth) and b (depth,
// columns) after their transpositions; rows and depth: 1 or more. `start` may be c itself. Every
// sum is added in the order of the depth.
void blocked_product(Index rows, Index columns, Index depth, const MatrixView& a,
                     const MatrixView& b, Start start, Scalar* c, Index c_stride);

// c = a b (+ c), where a is (rows, depth) and b (depth, columns) after their transpositions. If it
// does not accumulate, the old content of c is ignored, even NaN.
void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                    Index c_stride, bool accumulate);

// c = a b + row: adds the same row to each row of c.
void matrix_product_plus_row(Index rows, Index columns, Index depth, MatrixView a, MatrixView b,
                             const Scalar* row, Scalar* c, Index c_stride);

}}  // namespace tapehead::TAPEHEAD_PRECISION
