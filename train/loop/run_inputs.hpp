// The files that a command reads for a run or a config, so that the command never overwrites one of
// them.
#pragma once

#include <filesystem>

#include "core/files/input_files.hpp"
#include "train/config/config.hpp"
#include "train/run/data.hpp"

namespace tapehead {

// A run's files, and the text that it was trained on. Throws IoError if there is no run, and what
// load_config throws.
InputFiles inputs_of_run(const std::filesystem::path& directory, const DataChoice& data = {});

// The text of the config's task, and the run from which the initial weights come.
InputFiles inputs_of_training(const Config& config);

// These, the config file, and those that it inherits from.
InputFiles inputs_of_config(const LoadedConfig& loaded);

}  // namespace tapehead
