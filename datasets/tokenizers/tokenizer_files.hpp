// Tokenizer files: which ones a directory contains, and loading them.
#pragma once

#include <filesystem>
#include <memory>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Loads what `save` wrote, whichever of the two files exists. Throws IoError that names the file.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& stem);

// Whether a directory contains the files of a task's tokenizers: "joint" if the sides share one,
// otherwise "source" and "target".
bool has_tokenizers(const std::filesystem::path& directory);
Tokenizers load_tokenizers(const std::filesystem::path& directory);  // throws IoError
// The tokenizers of the run that `task.tokenizer_of` names, and that of its source alone. Throws
// IoError that says so.
Tokenizers tokenizers_of_run(const std::filesystem::path& run);
std::shared_ptr<const Tokenizer> tokenizer_of_run(const std::filesystem::path& run);
void save_tokenizers(const Tokenizers& tokenizers, const std::filesystem::path& directory);

}  // namespace tapehead
