// Turns a running text into tokens.
#pragma once

#include <filesystem>

#include "datasets/corpus/token_text.hpp"
#include "datasets/text/documents.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Writes the tokens of the documents to a file. A line end between two lines of a document is a
// token; documents without tokens are left out. Throws IoError, and DataError if no token is left.
void write_tokens(const DocumentFiles& files, const Tokenizer& tokenizer,
                  const std::filesystem::path& destination);

}  // namespace tapehead
