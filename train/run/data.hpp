// Where a run's data is, in data.json. It is written when the run starts, so that its files are
// found again from any directory, and after run and data were moved together. And which files a
// command reads for a run or a config, so that it never overwrites one of them.
#pragma once

#include "core/files/input_output.hpp"
#include "datasets/task.hpp"
#include "train/config/config.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

// The user's choice about the data of an existing run.
struct DataChoice {
  std::filesystem::path directory{};  // the directory of the files; empty: where they were
  bool other = false;                 // whether other data than the run's is allowed
};

// Writes where each file of the task is: its path in the config, its absolute path, and its path
// relative to the run, with a digest of its bytes. `found` has the paths that were read, `written`
// those of the config; for a new run both are the same. Throws IoError.
void write_run_data(const RunFiles& run, TaskOptions written, TaskOptions found);

// Why a run reads no data files, in words that follow its name: its task makes the data, or it
// keeps its text. Empty if it reads some.
std::string why_no_files(const RunFiles& run, TaskOptions task);

// The task with paths of regular files. Candidates are, in a directory, the path in the config and
// the name alone; without one the absolute path and the path relative to the run, and then only a
// file with the bytes of the record is taken. A path that the record does not contain, because it
// was set again or the run is old, stays unchanged. Logs the files that the record names. Throws
// IoError that names files that are gone or have other bytes; ConfigError for a directory if the
// run reads no files.
TaskOptions find_run_data(const RunFiles& run, const TaskOptions& task, const DataChoice& choice);

// The same for a config file. The config of a run has the run's data.
TaskOptions find_config_data(const std::filesystem::path& config, const TaskOptions& task);

// Digests of the bytes of files, for which each file is read once.
class FileDigests {
 public:
  // Empty if the file is missing, or cannot be read twice, like a pipe. Throws IoError.
  const std::string& of(const std::filesystem::path& file);

 private:
  std::map<std::filesystem::path, std::string> known_;
};

// Throws IoError if a file of the task, at the path in `found`, has other bytes than the run's
// record says. Files without a digest on either side are not compared. `ways_out` ends the message.
void expect_data_of(const RunFiles& run, TaskOptions found, FileDigests& digests,
                    std::string_view ways_out);

// Writes the tokens of each split that is a text, so that the run needs no other file. Tokens that
// the directory has with their tokenizers stay as they are; without tokenizers they are of ones
// that are lost, as when a start was killed. Throws IoError.
void save_texts(const Task& task, const std::filesystem::path& run);

// A run's files, and the text that it was trained on. Throws as find_run() and load_config() do.
InputFiles inputs_of_run(const std::filesystem::path& directory, const DataChoice& data = {});

// The text of the config's task, and the run from which the initial weights come.
InputFiles inputs_of_training(const Config& config);

// These, the config file, and those that it inherits from.
InputFiles inputs_of_config(const LoadedConfig& loaded);

}  // namespace tapehead
