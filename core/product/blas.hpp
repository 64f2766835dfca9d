// The only access to BLAS. Ops call `matrix_product`, which decides which products use it.
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A row-major matrix for BLAS. Its rows are `stride` numbers apart; `transposed` means that its
// transpose is used.
struct MatrixView {
  const Scalar* data;
  Index stride;
  bool transposed = false;

  // The part that begins at an element of the matrix, after transposition.
  MatrixView from(Index row, Index column) const {
    return {data + (transposed ? column * stride + row : row * stride + column), stride,
            transposed};
  }
};

// c = a b (+ c), where a is (rows, depth) and b (depth, columns) after their transpositions. If it
// does not accumulate, the old content of c is ignored, even NaN.
void blas_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                  Index c_stride, bool accumulate);

}}  // namespace tapehead::TAPEHEAD_PRECISION
