#include "core/blas.hpp"

#include <cmath>
#include <complex>
#include <type_traits>

// The BLAS wrappers that xtensor-blas is built on; they rely on the three headers above.
#include <xflens/cxxblas/cxxblas.cxx>

#include <algorithm>

namespace tapehead::inline TAPEHEAD_PRECISION {

void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar beta,
                    Scalar* c, Index c_stride) {
  if (rows == 0 || columns == 0) {
    return;
  }
  if (depth == 0) {  // c = beta c; BLAS refuses the strides of 0 that may come with it
    for (Index i = 0; i < rows; ++i) {
      Scalar* row = c + i * c_stride;
      std::transform(row, row + columns, row,
                     [beta](Scalar x) { return beta == Scalar{0} ? Scalar{0} : beta * x; });
    }
    return;
  }
  const auto transpose = [](const MatrixView& matrix) {
    return matrix.transposed ? cxxblas::Transpose::Trans : cxxblas::Transpose::NoTrans;
  };
  cxxblas::gemm<int>(cxxblas::StorageOrder::RowMajor, transpose(a), transpose(b),
                     static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(depth),
                     Scalar{1}, a.data, static_cast<int>(a.stride), b.data,
                     static_cast<int>(b.stride), beta, c, static_cast<int>(c_stride));
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
