// The right-hand side of matrix products, packed once: panels of as many columns as
// `broadcast_product` takes at a time, the last one of what is left in whole vectors.
#pragma once

#include "core/product/blas.hpp"
#include "core/product/broadcast_product.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class PackedMatrix {
 public:
  // b: (depth, columns) after its transposition; depth: 1 or more. It is copied.
  PackedMatrix(const MatrixView& b, Index depth, Index columns);

  Index depth() const { return depth_; }
  Index columns() const { return columns_; }

  // c = start + a b, where a is (rows, depth) and not transposed. `start` may be c itself.
  void product(Index rows, const MatrixView& a, Start start, Scalar* c, Index c_stride) const;

  // c = start + a b, a as it lies in memory: at most `block_rows` rows of it. Meanwhile the
  // prefetcher, if any, is worked off.
  void block_product(Index rows, const Broadcast& a, Start start, Scalar* c, Index c_stride,
                     Prefetcher* prefetcher) const;

  // So many rows of a stay in the second level of the cache.
  static constexpr Index block_rows = 96;

 private:
  // So much of a panel at a time, 32 KB, stays in a first-level cache of 48 KB, or 16 KB in one of
  // 32 KB with AVX2.
  static constexpr Index panel_depth = sizeof(Lanes) == 64 ? 128 : 256;

  Index depth_;
  Index columns_;
  Tensor panels_;  // each (depth, panel's columns), one behind the other
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
