// Distributes work on many lines over threads.
#pragma once

#include "core/kernel/workers.hpp"

namespace tapehead {

// Calls each(first, last) for ranges [first, last) of `length` lines, in no particular order, on
// default_threads() threads, but at most 8. A single range starts no thread.
template <class Each>
void for_line_ranges(Index lines, const Each& each, Index length = 1000) {
  const Index ranges = (lines + length - 1) / length;
  Workers workers(std::clamp<Index>(std::min(default_threads(), ranges), 1, 8));
  workers.run(ranges, [&](Index i) { each(i * length, std::min(lines, (i + 1) * length)); });
}

// Calls each(i) for each of `lines` lines, on several threads at once.
template <class Each>
void for_lines_in_parallel(std::size_t lines, const Each& each) {
  for_line_ranges(static_cast<Index>(lines), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      each(static_cast<std::size_t>(i));
    }
  });
}

}  // namespace tapehead
