// Blocks of right-hand sides, copied into the order in which `broadcast_product` reads them.
#pragma once

#include "core/blas.hpp"
#include "core/rows.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// A panel holds as many columns of a right-hand side as `broadcast_product` takes at a time.
constexpr Index panel_columns = 2 * lane_count;

// Rows [row, row + depth) and columns [column, column + columns) of b as panels, one behind the
// other: (depth, panel_columns) each. Behind the last column they hold anything.
void pack_panels(const MatrixView& b, Index row, Index depth, Index column, Index columns,
                 Scalar* panels);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
