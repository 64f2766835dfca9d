// Makes a task from its options, and names the files that it reads.
#pragma once

#include <string>
#include <vector>

#include "datasets/task.hpp"
#include "datasets/task_making.hpp"
#include "datasets/task_options.hpp"

namespace tapehead {

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

}  // namespace tapehead
