// Zeros in memory.
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Sets `count` numbers to zero. What would not stay in a cache is written past them: a cache first
// reads what it is to be written to.
void clear(Scalar* data, Index count);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
