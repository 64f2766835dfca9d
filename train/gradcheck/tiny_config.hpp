// Makes a config small, so that its gradients can be checked in seconds.
#pragma once

#include "datasets/task_kind.hpp"
#include "train/config/config.hpp"

namespace tapehead {

// Reduces model and data, but keeps everything that decides how the parts work together: heads,
// sharing, scores, patterns, norms, positions, tying, dropout, shards. Keeps one layer of each
// kind, at least two layers and at most eight. Related options stay consistent, so the result is
// valid if the config is. Options from the command line keep their values.
Config tiny_config(const LoadedConfig& loaded);

// The changed options, as "section.option=value" with the new value, without options that were
// `auto` and follow from other options.
std::vector<std::string> changes(const LoadedConfig& from, const Config& to);

}  // namespace tapehead
