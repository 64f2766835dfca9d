// Sets memory to zero.
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Sets `count` numbers to zero. What is too large to stay in a cache is written past the caches,
// since a cache first reads the memory that is to be written.
void clear(Scalar* data, Index count);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
