// Prefetching: numbers on their way from memory while others are worked on.
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Asks for `count` numbers from `from` on, to be in the second level of the cache soon.
inline void prefetch(const Scalar* from, Index count) {
  constexpr Index line = 64 / sizeof(Scalar);
  constexpr int for_reading = 0;
  constexpr int second_level = 2;
  for (Index i = 0; i < count; i += line) {
    __builtin_prefetch(from + i, for_reading, second_level);
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
