// Where a run's data lies, data.json: written when it starts, so that its files are found again
// from any directory, and after run and data have been moved together.
#pragma once

#include <filesystem>

#include "datasets/task_options.hpp"
#include "train/run/files.hpp"

namespace tapehead {

// What a user says about the data of a run that is there.
struct DataChoice {
  std::filesystem::path directory{};  // that holds the files; empty: where they were
  bool other = false;                 // whether other data than the run was trained on may be used
};

// Writes where each file of the task lies: its path as the config has it, absolute, and relative to
// the run, with a digest of its bytes. `found` is where they have been read, `written` what the
// config says; the same for a run that starts. Throws IoError.
void write_run_data(const RunFiles& run, TaskOptions written, TaskOptions found);

// The task with the paths of files that are there. Without a directory these are the absolute path
// and the one relative to the run, first those whose bytes are still the same. In a directory it is
// the path as the config has it, or the name alone. A path that the record does not know, since it
// was set anew or the run is an old one, stays as it is. Throws IoError that names the places where
// a file is not.
TaskOptions find_run_data(const RunFiles& run, const TaskOptions& task, const DataChoice& choice);

// The same for a config file: that of a run has the run's data.
TaskOptions find_config_data(const std::filesystem::path& config, const TaskOptions& task);

}  // namespace tapehead
