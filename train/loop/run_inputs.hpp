// What a command reads of a run or for a config, so that nothing that it writes is part of that.
#pragma once

#include <filesystem>

#include "core/files/input_files.hpp"
#include "train/options/options.hpp"
#include "train/run/data.hpp"

namespace tapehead {

// A run's files, and the text that it was trained on. Throws IoError where there is no run, and
// what load_config throws.
InputFiles inputs_of_run(const std::filesystem::path& directory, const DataChoice& data = {});

// The text of the config's task, and the run that its first weights are from.
InputFiles inputs_of_training(const Config& config);

// Those and the config's file.
InputFiles inputs_of_config(const std::filesystem::path& file, const Config& config);

}  // namespace tapehead
