// Products of row-major matrices, by the faster of several ways; their right-hand side, packed once
// into panels (packed_matrix.cpp), and transposed copies; and the only access to BLAS and LAPACK,
// which ops use through `matrix_product`: products, and singular values (blas_spectrum.cpp).
#pragma once

#include "core/product/broadcast_product.hpp"
#include "core/tape/tensor.hpp"

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

// to[c to_step + r] = factor from[r step + c] for r < rows, c < columns. After the last r there are
// zeros up to a whole vector, for which there must be room.
void copy_transposed(Index rows, Index columns, const Scalar* from, Index step, Scalar factor,
                     Scalar* to, Index to_step);

// A panel has as many columns as `broadcast_product` processes at a time, the last one those that
// remain, padded to whole vectors.
class PackedMatrix {
 public:
  // b: (depth, columns) after its transposition; depth: 1 or more. It is copied.
  PackedMatrix(const MatrixView& b, Index depth, Index columns);

  Index depth() const { return depth_; }
  Index columns() const { return columns_; }

  // c = start + a b, where a is (rows, depth) and not transposed. `start` may be c itself.
  void product(Index rows, const MatrixView& a, Start start, Scalar* c, Index c_stride) const;

  // c = start + a b, where a has at most `block_rows` rows and is used without a copy. Meanwhile
  // the lines of the prefetcher, if there is one, are prefetched.
  void block_product(Index rows, const Broadcast& a, Start start, Scalar* c, Index c_stride,
                     Prefetcher* prefetcher) const;

  // This many rows of a stay in the second-level cache.
  static constexpr Index block_rows = 96;

 private:
  // This depth of a panel, 32 KB, stays in a first-level cache of 48 KB. With AVX2 it is 16 KB of
  // 32 KB.
  static constexpr Index panel_depth = sizeof(Lanes) == 64 ? 128 : 256;

  Index depth_;
  Index columns_;
  Tensor panels_;  // each (depth, panel's columns), one after another
};

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

// The singular values of Aᵀ B, largest first, in double precision. There are as many as A has rows
// or columns, whichever is fewer. a: (d, m), b: (d, n). Values below about 1e-8 of the largest are
// lost in rounding.
std::vector<double> product_singular_values(const Tensor& a, const Tensor& b);

}}  // namespace tapehead::TAPEHEAD_PRECISION
