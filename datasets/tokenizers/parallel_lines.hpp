// Distributes work on many lines over threads.
#pragma once

#include <mutex>

#include "core/kernel/workers.hpp"

namespace tapehead {

// Calls each(first, last) for ranges [first, last) of `length` lines, in no particular order, on
// default_threads() threads, but at most 8. A single range starts no thread.
void for_line_ranges(Index lines, const auto& each, Index length = 1000) {
  const Index ranges = (lines + length - 1) / length;
  Workers workers(std::clamp<Index>(std::min(default_threads(), ranges), 1, 8));
  workers.run(ranges, [&](Index i) { each(i * length, std::min(lines, (i + 1) * length)); });
}

// Counts in a map, on several threads at once: count(counts, i) adds what line i has.
template <class Counts>
Counts counts_over_lines(Index lines, const auto& count) {
  Counts all;
  std::mutex guard;
  for_line_ranges(lines, [&](Index first, Index last) {
    Counts here;
    for (Index i = first; i < last; ++i) {
      count(here, static_cast<std::size_t>(i));
    }
    const std::scoped_lock lock(guard);
    for (const auto& [key, found] : here) {
      all[key] += found;
    }
  });
  return all;
}

// Calls each(i) for each of `lines` lines, on several threads at once.
void for_lines_in_parallel(std::size_t lines, const auto& each) {
  for_line_ranges(static_cast<Index>(lines), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      each(static_cast<std::size_t>(i));
    }
  });
}

}  // namespace tapehead
