// How much memory this process has resident, as the system counts it.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

struct ProcessMemory {
  std::size_t resident = 0;  // bytes, now
  std::size_t peak = 0;      // bytes, the most so far
};

// Zeros if the system does not report it.
ProcessMemory process_memory();

}  // namespace tapehead
