// The files that a command reads for a run or a config, so that it never overwrites one of them.
#pragma once

#include "core/files/input_files.hpp"
#include "train/config/config.hpp"
#include "train/run/data.hpp"

namespace tapehead {

// A run's files, and the text that it was trained on. Throws as find_run() and load_config() do.
InputFiles inputs_of_run(const std::filesystem::path& directory, const DataChoice& data = {});

// The text of the config's task, and the run from which the initial weights come.
InputFiles inputs_of_training(const Config& config);

// These, the config file, and those that it inherits from.
InputFiles inputs_of_config(const LoadedConfig& loaded);

}  // namespace tapehead
