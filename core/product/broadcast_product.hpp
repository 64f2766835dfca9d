// The innermost product: numbers of one matrix, each spread over a vector, times rows of another.
// Sums stay in registers for the whole depth, and every one is added up in the same order whatever
// the number of rows.
#pragma once

#include "core/kernel/rows.hpp"
#include "core/memory/prefetch.hpp"
#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Element (i, r) lies at data[i row_step + r depth_step]. To be passed by reference: a copy on the
// stack waits for all that was stored before.
struct Broadcast {
  const Scalar* data;
  Index row_step;
  Index depth_step;
};

// What sums begin with: element (i, c) lies at data[i step + c]; with step 0 every row begins with
// the same numbers; null: with zeros.
struct Start {
  const Scalar* data = nullptr;
  Index step = 0;

  Start from(Index row, Index column) const {
    return data == nullptr ? Start{} : Start{data + row * step + column, step};
  }
};

// As many columns are taken at a time: four vectors where there are 32 registers, else two. The
// wider, the less often rows of `a` come from the second level of the cache.
constexpr Index product_columns = (sizeof(Lanes) == 64 ? 4 : 2) * lane_count;

// out[i][c] = start(i, c) + Σ_r a(i, r) b[r b_step + c] for i < rows, c < columns; columns: whole
// vectors. `start` may be `out` itself. With a prefetcher it is worked off meanwhile, and what is
// written next is fetched, too: for products larger than the first level of the cache.
void broadcast_product(Index rows, Index depth, Index columns, const Broadcast& a, const Scalar* b,
                       Index b_step, Start start, Scalar* out, Index out_step,
                       Prefetcher* prefetcher = nullptr);

// How often that calls `some`.
Index prefetches(Index rows, Index depth, Index columns, const Broadcast& a);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
