#include "core/product/blas.hpp"

#include <cmath>
#include <complex>
#include <type_traits>

// The BLAS wrappers that xtensor-blas is built on; they rely on the three headers above.
#include <xflens/cxxblas/cxxblas.cxx>

#include <algorithm>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void blas_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                  Index c_stride, bool accumulate) {
  if (rows == 0 || columns == 0) {
    return;
  }
  if (depth == 0) {  // BLAS rejects the strides of 0 that may come with it
    for (Index i = 0; i < rows && !accumulate; ++i) {
      std::fill_n(c + i * c_stride, columns, Scalar{0});
    }
    return;
  }
  const auto transpose = [](const MatrixView& matrix) {
    return matrix.transposed ? cxxblas::Transpose::Trans : cxxblas::Transpose::NoTrans;
  };
  cxxblas::gemm<int>(cxxblas::StorageOrder::RowMajor, transpose(a), transpose(b),
                     static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(depth),
                     Scalar{1}, a.data, static_cast<int>(a.stride), b.data,
                     static_cast<int>(b.stride), static_cast<Scalar>(accumulate), c,
                     static_cast<int>(c_stride));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
