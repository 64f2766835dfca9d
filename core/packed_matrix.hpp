// The right-hand side of matrix products, packed once: panels of as many columns as
// `broadcast_product` takes at a time.
#pragma once

#include "core/blas.hpp"
#include "core/broadcast_product.hpp"
#include "core/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class PackedMatrix {
 public:
  // b: (depth, columns) after its transposition; depth: 1 or more. It is copied.
  PackedMatrix(const MatrixView& b, Index depth, Index columns);

  Index depth() const { return depth_; }
  Index columns() const { return columns_; }

  // c = start + a b, where a is (rows, depth) and not transposed. `start` may be c itself.
  void product(Index rows, const MatrixView& a, Start start, Scalar* c, Index c_stride) const;

  // c = start + a times `depth` rows of b from `first` on, a as it lies in memory: at most
  // `block_rows` rows of it. Meanwhile the prefetcher, if any, is worked off.
  void block_product(Index first, Index depth, Index rows, Broadcast a, Start start, Scalar* c,
                     Index c_stride, Prefetcher* prefetcher) const;

  // A panel of this depth stays in a first-level cache of 48 KB (with AVX2 of 32 KB), so many rows
  // of a in the second level.
  static constexpr Index block_depth = 256;
  static constexpr Index block_rows = 96;

 private:
  Index depth_;
  Index columns_;
  Tensor panels_;  // (panels, depth, panel's columns)
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
