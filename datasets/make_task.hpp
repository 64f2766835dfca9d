// Makes a task from its options, and names the files that it reads. Also helpers for the modules of
// tasks.
#pragma once

#include "datasets/task.hpp"

namespace tapehead {

struct TaskMaking {
  std::uint64_t seed = 0;
  fs::path tokenizers{};  // run directory that keeps them; empty: none
  Layout layout{};        // how the model reads examples
  // For evaluating running text. context: tokens of a window; 0: task.context. stride: distance
  // between the beginnings of windows; 0: windows do not overlap.
  Index context = 0;
  Index stride = 0;
};

// Makes the data of a task. Loads the tokenizers that the run directory has; otherwise makes them
// from the training split and saves them there. Throws DataError with file and line for unusable
// data, IoError for a file that cannot be read or written, and ConfigError for options that
// contradict each other.
Task make_task(const TaskOptions& options, const TaskMaking& making);

struct DataFile {
  std::string option;  // in the section `task`, with an index in a list: further_sources[0]
  std::string* path;   // points into the options
};

std::vector<DataFile> data_files(TaskOptions& options);

// The tokenizers of a run. Loads them from the directory of the run; if it holds no tokenizers,
// makes them and saves them there. An empty path means no directory.
Tokenizers kept_tokenizers(const fs::path& directory, const std::function<Tokenizers()>& make);

// A task with one tokenizer for both sides. Throws IoError if the saved tokenizer of the run
// differs in size from `expected`.
Task task_with_joint_tokenizer(const fs::path& directory,
                               const std::shared_ptr<const Tokenizer>& expected);

// The split of an example, by its hash, so that no two splits have an example in common: 80 %
// train, 10 % validation, 10 % test.
std::string_view split_of(std::uint64_t hash);

// Calls `attempt` with 0, 1, 2, ... until it has returned true `count` times. Throws DataError with
// `complaint` after 10,000 failures in a row, because then there are hardly any left to find.
void collect(Index count, std::string_view complaint, const std::function<bool(Index)>& attempt);

}  // namespace tapehead
