// Transposed copies of rows that lie in a wider matrix.
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// to[c to_step + r] = factor from[r step + c] for r < rows, c < columns, and zeros behind the last
// r up to a whole vector, for which there must be room.
void copy_transposed(Index rows, Index columns, const Scalar* from, Index step, Scalar factor,
                     Scalar* to, Index to_step);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
