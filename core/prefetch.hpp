// Prefetching: numbers on their way from memory while others are worked on.
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

constexpr Index cache_line = 64 / sizeof(Scalar);

// Asks for the lines of `count` numbers from `from` on. Level 3 is the first of the cache.
template <int ForWriting, int Level>
inline void prefetch_lines(const Scalar* from, Index count) {
  for (Index i = 0; i < count; i += cache_line) {
    __builtin_prefetch(from + i, ForWriting, Level);
  }
}

// Numbers that are needed soon, in the second level of the cache.
inline void prefetch(const Scalar* from, Index count) { prefetch_lines<0, 2>(from, count); }

// Numbers that are about to be read, in the first level.
inline void prefetch_to_read(const Scalar* from, Index count) { prefetch_lines<0, 3>(from, count); }

// Room for numbers that are about to be written, in the first level.
inline void prefetch_to_write(const Scalar* from, Index count) {
  prefetch_lines<1, 3>(from, count);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
