// The text of a run as tokens, which it keeps so that it needs no other file.
#pragma once

#include <filesystem>

#include "datasets/task.hpp"

namespace tapehead {

// Writes the tokens of each split that is a text. Tokens that the directory has with their
// tokenizers stay as they are; without tokenizers they are of ones that are lost, as when a start
// was killed. Throws IoError.
void save_texts(const Task& task, const std::filesystem::path& run);

}  // namespace tapehead
