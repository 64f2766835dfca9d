// A config made small enough for its gradients to be checked in seconds.
#pragma once

#include <string>
#include <vector>

#include "train/options.hpp"

namespace tapehead {

// Overrides ("section.option=value") that make model and data small and leave alone what decides
// how the parts work together: heads, norms, positions, tying, dropout, shards. Those that would
// change nothing are left out. The config must be resolved.
std::vector<std::string> tiny_overrides(const Config& config);

}  // namespace tapehead
