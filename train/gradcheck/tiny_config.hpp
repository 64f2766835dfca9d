// Makes a config small, so that its gradients can be checked in seconds.
#pragma once

#include "datasets/task_kind.hpp"
#include "train/config/config.hpp"

namespace tapehead {

// The config with a small model and little data. Everything that decides how the parts work
// together stays: heads, sharing, scores, patterns, norms, positions, tying, dropout, shards. Of
// equal layers two remain, of different layers one each, at most eight. Each change keeps related
// options consistent, so the result is valid if the config is. Options set on the command line keep
// their values.
Config tiny_config(const LoadedConfig& loaded);

// The changed options, as "section.option=value" with the new value. Options that were `auto` and
// follow from the others are left out.
std::vector<std::string> changes(const LoadedConfig& from, const Config& to);

}  // namespace tapehead
