// Products of matrices that are too large for the caches, computed in blocks that fit.
#pragma once

#include "core/product/blas.hpp"
#include "core/product/broadcast_product.hpp"
#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// c = start + a b, where a is (rows, depth) and b (depth, columns) after their transpositions; rows
// and depth: 1 or more. `start` may be c itself. Every sum is added in the order of the depth.
void blocked_product(Index rows, Index columns, Index depth, const MatrixView& a,
                     const MatrixView& b, Start start, Scalar* c, Index c_stride);

}}  // namespace tapehead::TAPEHEAD_PRECISION
