// The one door to BLAS. Ops call `matrix_product`, which decides what goes through it.
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

  // What begins at an element of the matrix that is meant.
  MatrixView from(Index row, Index column) const {
    return {data + (transposed ? column * stride + row : row * stride + column), stride,
            transposed};
  }
};

// c = a b (+ c), where a is (rows, depth) and b (depth, columns) after their transpositions. Unless
// it accumulates, what c held does not matter, NaN included.
void blas_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                  Index c_stride, bool accumulate);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
