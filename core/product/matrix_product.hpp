// Products of row-major matrices, by BLAS or our own kernels, whichever is faster; matrices that
// are packed once for many products (packed_matrix.cpp); and singular values (blas_spectrum.cpp).
// Ops use BLAS and LAPACK only through this header.
#pragma once

#include "core/product/broadcast_product.hpp"
#include "core/product/rounded_product.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

using MatrixView = MatrixOf<Scalar>;

// c = a b (+ c), where a is (rows, depth) and b (depth, columns) after their transpositions.
// Without `accumulate` the old content of c is ignored, even NaN.
void blas_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                  Index c_stride, bool accumulate);

// to[c to_step + r] = factor from[r step + c] for r < rows, c < columns. Zeros follow the last r up
// to a whole vector; there must be room for them.
void copy_transposed(Index rows, Index columns, const Scalar* from, Index step, Scalar factor,
                     Scalar* to, Index to_step);

// A matrix, copied into panels of `product_columns` columns; the last is padded to whole vectors.
// With `precision` bfloat16 it is a RoundedMatrix.
class PackedMatrix {
 public:
  // b: (depth, columns) after transposition; depth: 1 or more.
  PackedMatrix(const MatrixView& b, Index depth, Index columns,
               Precision precision = Precision::float32);

  Index depth() const { return depth_; }
  Index columns() const { return columns_; }

  // c = start + a b, where a is (rows, depth) and not transposed. `start` may be c itself.
  void product(Index rows, const MatrixView& a, Start start, Scalar* c, Index c_stride) const;

  // c = start + a b with precision float32, where a has at most `block_rows` rows and is used
  // without a copy. The lines of `prefetcher` are prefetched meanwhile; null: none.
  void block_product(Index rows, const Broadcast& a, Start start, Scalar* c, Index c_stride,
                     Prefetcher* prefetcher) const;

  static constexpr Index block_rows = 96;  // of a; a block stays in the second-level cache

 private:
  // Such a part of a panel stays in the first-level cache: 32 of 48 KB (AVX-512), 16 of 32 KB.
  static constexpr Index panel_depth = sizeof(Lanes) == 64 ? 128 : 256;

  Index depth_;
  Index columns_;
  Tensor panels_;  // each (depth, panel's columns), one after another
  std::optional<RoundedMatrix> rounded_;
};

// c = start + a b in blocks that fit into the caches, where a is (rows, depth) and b (depth,
// columns) after their transpositions; rows and depth: 1 or more. `start` may be c itself. Every
// sum is added in the order of the depth.
void blocked_product(Index rows, Index columns, Index depth, const MatrixView& a,
                     const MatrixView& b, Start start, Scalar* c, Index c_stride);

// c = a b (+ c), where a is (rows, depth) and b (depth, columns) after their transpositions.
// Without `accumulate` the old content of c is ignored, even NaN. With `precision` bfloat16 this is
// rounded_product.
void matrix_product(Index rows, Index columns, Index depth, MatrixView a, MatrixView b, Scalar* c,
                    Index c_stride, bool accumulate, Precision precision = Precision::float32);

// c = a b + row: adds the same row to each row of c; null: none.
void matrix_product_plus_row(Index rows, Index columns, Index depth, MatrixView a, MatrixView b,
                             const Scalar* row, Scalar* c, Index c_stride,
                             Precision precision = Precision::float32);

// The min(d, m) singular values of Aᵀ B, largest first, in double precision. a: (d, m), b: (d, n).
// Values below about 1e-8 of the largest are lost in rounding.
std::vector<double> product_singular_values(const Tensor& a, const Tensor& b);

}}  // namespace tapehead::TAPEHEAD_PRECISION
