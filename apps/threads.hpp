// How many worker threads a command runs.
#pragma once

#include <algorithm>
#include <thread>

#include "core/types.hpp"

namespace tapehead {

// One for each core, unless the user says otherwise.
inline Index default_threads() {
  return std::max<Index>(1, static_cast<Index>(std::thread::hardware_concurrency()));
}

}  // namespace tapehead
