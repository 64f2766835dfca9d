// Work on many lines, shared out over the machine's threads.
#pragma once

#include <algorithm>
#include <thread>

#include "core/workers.hpp"

namespace tapehead {

// Calls each(first, last) for stretches [first, last) of `lines` lines, on as many threads as the
// machine has, but at most 8, in no order. Few lines are one stretch, and start no thread.
template <class Each>
void for_stretches(Index lines, const Each& each) {
  constexpr Index stretch = 1000;
  const Index stretches = (lines + stretch - 1) / stretch;
  const auto cores = static_cast<Index>(std::thread::hardware_concurrency());
  Workers workers(std::clamp<Index>(std::min(cores, stretches), 1, 8));
  workers.run(stretches, [&](Index i) { each(i * stretch, std::min(lines, (i + 1) * stretch)); });
}

}  // namespace tapehead
