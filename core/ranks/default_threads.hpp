// How many worker threads a rank has unless the user says: its part of the cores of its machine.
#pragma once

#include "core/ranks/ranks.hpp"

namespace tapehead {

// The cores that this process may use, divided by the number of ranks that may use the same cores
// of the same machine; at least 1. All ranks must call it together.
Index default_threads(Ranks& ranks);

}  // namespace tapehead
