// Makes a task from its options.
#pragma once

#include <cstdint>
#include <filesystem>

#include "datasets/task.hpp"
#include "datasets/task_options.hpp"

namespace tapehead {

// Makes the data of a task. `tokenizers`: the run's directory for tokenizer files. Tokenizers that
// are there already are loaded; otherwise they are made from the training split and saved there.
// With an empty path they are only kept in memory. Throws DataError with file and line for data
// that cannot be used, IoError for a file that cannot be read or written, ConfigError for options
// that contradict each other.
Task make_task(const TaskOptions& options, std::uint64_t seed,
               const std::filesystem::path& tokenizers = {});

}  // namespace tapehead
