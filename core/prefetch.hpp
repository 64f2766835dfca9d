// Prefetching: numbers on their way from memory while others are worked on.
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

constexpr Index cache_line = 64 / sizeof(Scalar);

// Asks for `count` numbers from `from` on, to be in the second level of the cache soon.
inline void prefetch(const Scalar* from, Index count) {
  constexpr int for_reading = 0;
  constexpr int second_level = 2;
  for (Index i = 0; i < count; i += cache_line) {
    __builtin_prefetch(from + i, for_reading, second_level);
  }
}

// Asks for `count` numbers that are about to be read, in the first level.
inline void prefetch_to_read(const Scalar* from, Index count) {
  constexpr int for_reading = 0;
  constexpr int first_level = 3;
  for (Index i = 0; i < count; i += cache_line) {
    __builtin_prefetch(from + i, for_reading, first_level);
  }
}

// Asks for room for `count` numbers that are about to be written, in the first level.
inline void prefetch_to_write(const Scalar* from, Index count) {
  constexpr int for_writing = 1;
  constexpr int first_level = 3;
  for (Index i = 0; i < count; i += cache_line) {
    __builtin_prefetch(from + i, for_writing, first_level);
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
