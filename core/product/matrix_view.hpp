// Views of the operands of matrix products, and of the numbers that their sums begin with.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// A row-major matrix or, if `transposed`, its transpose. Its rows are `stride` numbers apart.
template <class Number>
struct MatrixOf {
  const Number* data;
  Index stride;
  bool transposed = false;

  // The part that begins at (row, column), counted after transposition.
  MatrixOf from(Index row, Index column) const {
    return {data + (transposed ? column * stride + row : row * stride + column), stride,
            transposed};
  }
};

// The initial values of the sums: element (i, c) is data[i step + c]. With step 0 every row starts
// with the same numbers. If data is null, all sums start with zero.
template <class Number>
struct StartOf {
  const Number* data = nullptr;
  Index step = 0;

  StartOf from(Index row, Index column) const {
    return data == nullptr ? StartOf{} : StartOf{data + row * step + column, step};
  }
};

}  // namespace tapehead
