// Makes the tokenizers of tasks from lines of text, saves and loads them, and gives their digests.
#pragma once

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Throws what train_sentencepiece throws.
std::shared_ptr<const Tokenizer> tokenizer_of_lines(const PieceOptions& options,
                                                    std::span<const std::string> lines);

// Loads the file that `save` wrote, of either suffix. Throws IoError that names the file.
std::unique_ptr<Tokenizer> load_tokenizer(const fs::path& stem);

// Whether a directory contains the files of a task's tokenizers: "joint" if the sides share one,
// otherwise "source" and "target".
bool has_tokenizers(const fs::path& directory);
Tokenizers load_tokenizers(const fs::path& directory);  // throws IoError
// The tokenizers of the run task.tokenizer_of. Throws IoError with the option.
Tokenizers tokenizers_of_run(const fs::path& run);
void save_tokenizers(const Tokenizers& tokenizers, const fs::path& directory);

// A digest of a tokenizer's entries in order: 16 hexadecimal digits. The entries give the rows of
// embeddings their meaning.
std::string tokenizer_digest(const Tokenizer& tokenizer);

}  // namespace tapehead
