// Makes a task from its options, and names the files that it reads. Helpers for those who make one:
// tokenizers kept in the run, separate splits.
#pragma once

#include "datasets/layout.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// What a task is made for.
struct TaskMaking {
  std::uint64_t seed = 0;
  std::filesystem::path tokenizers{};  // the directory of a run that keeps them; empty: none
  Layout layout{};                     // how the model reads examples
  // Of a text, in evaluations: the tokens of a window; 0: as the options say. And how far it begins
  // after the one before; 0: windows do not overlap.
  Index context = 0;
  Index stride = 0;
};

// Makes the data of a task. Tokenizers that the run's directory has are loaded; otherwise they are
// made from the training split and saved there. Throws DataError with file and line for data
// that cannot be used, IoError for a file that cannot be read or written, ConfigError for options
// that contradict each other.
Task make_task(const TaskOptions& options, const TaskMaking& making);

struct DataFile {
  std::string option;  // of the section `task`; in a list with its number: further_sources[0]
  std::string* path;   // points into the options
};

// All files that the options name.
std::vector<DataFile> data_files(TaskOptions& options);

// The tokenizers of a run. If its directory contains them, they are loaded; otherwise they are made
// and saved there. An empty path means no directory.
Tokenizers kept_tokenizers(const std::filesystem::path& directory,
                           const std::function<Tokenizers()>& make);

// One tokenizer for both sides, as the task has it. Throws IoError if the directory has another.
Tokenizers kept_joint_tokenizer(const std::filesystem::path& directory,
                                const std::shared_ptr<const Tokenizer>& expected);

// The split of an example, by its hash, so that no two splits have an example in common: 80 %
// train, 10 % validation, 10 % test.
std::string_view split_of(std::uint64_t hash);

// Calls `attempt` with 0, 1, 2, ... until it has returned true `count` times. Throws DataError with
// `complaint` after 10,000 failures in a row, because then there are hardly any left to find.
void collect(Index count, std::string_view complaint, const std::function<bool(Index)>& attempt);

}  // namespace tapehead
