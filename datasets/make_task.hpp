// Makes a task from its options.
#pragma once

#include <cstdint>
#include <filesystem>

#include "datasets/task.hpp"
#include "datasets/task_options.hpp"

namespace tapehead {

// Makes the data of a task. `tokenizers`: the run's directory for tokenizer files; when they are
// there already they are loaded, otherwise made from the training split and saved there. An empty
// path keeps them in memory only. Throws DataError with file and line for data that cannot be
// used, IoError for a file that cannot be read or written, ConfigError for options that
// contradict each other.
Task make_task(const TaskOptions& options, std::uint64_t seed,
               const std::filesystem::path& tokenizers = {});

}  // namespace tapehead
