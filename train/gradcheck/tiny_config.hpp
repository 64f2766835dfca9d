// A config made small enough for its gradients to be checked in seconds.
#pragma once

#include <string>
#include <vector>

#include "train/config/config.hpp"

namespace tapehead {

// The config with a small model and little data. What decides how the parts work together stays:
// heads, sharing, scores, patterns, norms, positions, tying, dropout, shards; of layers that are
// alike two are left, of others one each, up to eight. Every step keeps what must fit together, so
// the result is as valid as the config was. Options that the command line set stay as they are.
Config tiny_config(const LoadedConfig& loaded);

// What differs, as "section.option=value" of the small one, but for what was `auto` and follows
// from the rest.
std::vector<std::string> changes(const LoadedConfig& from, const Config& to);

}  // namespace tapehead
