// Tokenizers of tasks: made from lines of text, in the files of a directory, and told apart.
#pragma once

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// `lower_case`: a WordPiece loses case and accents. Throws what train_sentencepiece throws.
std::shared_ptr<const Tokenizer> tokenizer_of_lines(const PieceOptions& options,
                                                    std::span<const std::string> lines,
                                                    bool lower_case = false);

// Loads what `save` wrote, whichever of the two files exists. Throws IoError that names the file.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& stem);

// Whether a directory contains the files of a task's tokenizers: "joint" if the sides share one,
// otherwise "source" and "target".
bool has_tokenizers(const std::filesystem::path& directory);
Tokenizers load_tokenizers(const std::filesystem::path& directory);  // throws IoError
// Those of the run `task.tokenizer_of`, and that of its source alone. Throws IoError that says so.
Tokenizers tokenizers_of_run(const std::filesystem::path& run);
std::shared_ptr<const Tokenizer> tokenizer_of_run(const std::filesystem::path& run);
void save_tokenizers(const Tokenizers& tokenizers, const std::filesystem::path& directory);

// A digest of a tokenizer's entries in order, which say what the rows of embeddings mean: 16
// hexadecimal digits.
std::string tokenizer_digest(const Tokenizer& tokenizer);

}  // namespace tapehead
