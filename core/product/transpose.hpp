// Transposed copies of rows that are part of a wider matrix.
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// to[c to_step + r] = factor from[r step + c] for r < rows, c < columns. After the last r there are
// zeros up to a whole vector, for which there must be room.
void copy_transposed(Index rows, Index columns, const Scalar* from, Index step, Scalar factor,
                     Scalar* to, Index to_step);

}}  // namespace tapehead::TAPEHEAD_PRECISION
