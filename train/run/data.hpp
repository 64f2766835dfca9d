// Records in data.json, at a run's start, where its data files are, so that they are found from any
// directory and after moving run and data together. Also lists inputs that must not be replaced.
#pragma once

#include "train/config/config.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

struct DataChoice {
  fs::path directory{};  // the directory of the files; empty: unchanged
  bool other = false;    // whether data that differs from the run's is allowed
};

// Writes for each data file its path in the config, its absolute path, its path relative to the
// run, and a digest of its bytes. `found` has the paths that were read, `written` the paths in the
// config; in a new run, both are equal. Throws IoError.
void write_run_data(const RunFiles& run, TaskOptions written, TaskOptions found);

// Why a run reads no data files, as words to put after its name: its task generates the data, or
// the run stores its text. Empty if it reads data files.
std::string why_no_files(const RunFiles& run, TaskOptions task);

// The task with the paths of existing files. With a directory, tries the config's path and the file
// name there; without one, the absolute path and the path relative to the run, and accepts only a
// file with the recorded bytes. Paths without a record, because they were set again or the run is
// old, stay unchanged if other data is allowed. Logs the files that come from the record. Throws
// IoError that names files that are gone, have other bytes or have no record; ConfigError for the
// directory of a run that reads no files.
TaskOptions find_run_data(const RunFiles& run, const TaskOptions& task, const DataChoice& choice);

// The same for a config file. The stored config of a run uses the run's data.
TaskOptions find_config_data(const fs::path& config, const TaskOptions& task);

// Digests of files' bytes, as far as they are known: each file is read once.
using FileDigests = std::map<fs::path, std::string>;

// Throws IoError if a data file, at its path in `found`, differs from the digest in the run's
// record. Skips files that lack a digest on either side. `ways_out` ends the message.
void expect_data_of(const RunFiles& run, TaskOptions found, FileDigests& digests,
                    std::string_view ways_out);

// Stores the tokens of each split that is a text, so that the run needs no other file. Keeps stored
// tokens if the run has its tokenizers, because a killed start may leave tokens without tokenizers.
// Throws IoError.
void save_texts(const Task& task, const fs::path& run);

// The files of a run, and its data files. Throws as find_run() and load_config() do.
InputFiles inputs_of_run(const fs::path& directory, const DataChoice& data = {});

// The data files of the config's task, and the run with the initial weights.
InputFiles inputs_of_training(const Config& config);

// The inputs of the training, the config file, and the config files that it inherits from.
InputFiles inputs_of_config(const LoadedConfig& loaded);

}  // namespace tapehead
