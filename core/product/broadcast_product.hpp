// The innermost matrix product: each number of one matrix is broadcast to a vector and multiplied
// by a row of the other matrix. Sums stay in registers for the whole depth. The number of rows does
// not change the order of additions.
#pragma once

#include "core/kernel/row_kernels.hpp"
#include "core/memory/prefetch.hpp"
#include "core/product/matrix_view.hpp"
#include "core/scalar.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Element (i, r) is data[i row_step + r depth_step]. Pass it by reference: a copy waits for stores.
struct Broadcast {
  const Scalar* data;
  Index row_step;
  Index depth_step;
};

using Start = StartOf<Scalar>;

// The number of columns processed at a time: four vectors if there are 32 registers, otherwise two.
// More columns mean fewer reads of `a` from the second-level cache.
constexpr Index product_columns = (sizeof(Lanes) == 64 ? 4 : 2) * lane_count;

// out[i][c] = start(i, c) + Σ_r a(i, r) b[r b_step + c] for i < rows, c < columns; columns: whole
// vectors. `start` may be `out` itself. With a prefetcher, for products larger than the first-level
// cache, its lines and the memory that is written next are prefetched.
void broadcast_product(Index rows, Index depth, Index columns, const Broadcast& a, const Scalar* b,
                       Index b_step, Start start, Scalar* out, Index out_step,
                       Prefetcher* prefetcher = nullptr);

// The number of calls of Prefetcher::some in broadcast_product.
Index prefetches(Index rows, Index depth, Index columns, const Broadcast& a);

}}  // namespace tapehead::TAPEHEAD_PRECISION
