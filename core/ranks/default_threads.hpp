// How many worker threads a rank has unless the user says: its part of the cores of its machine.
#pragma once

#include "core/kernel/thread_count.hpp"
#include "core/ranks/ranks.hpp"

namespace tapehead {

// For this process as one of the ranks that may use the same cores of the same machine. All ranks
// must call it together.
ThreadCount default_thread_count(Ranks& ranks);

}  // namespace tapehead
