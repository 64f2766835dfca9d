// Tokenizer files: which stand in a directory, and reading them back.
#pragma once

#include <filesystem>
#include <memory>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Reads back what `save` wrote, whichever of the two files is there. Throws IoError naming the
// file.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& stem);

// The files of a task's tokenizers in a directory: "joint" when they share one, otherwise "source"
// and "target".
bool has_tokenizers(const std::filesystem::path& directory);
Tokenizers load_tokenizers(const std::filesystem::path& directory);  // throws IoError
void save_tokenizers(const Tokenizers& tokenizers, const std::filesystem::path& directory);

}  // namespace tapehead
