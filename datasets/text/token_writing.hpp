// Turns a running text into tokens.
#pragma once

#include "datasets/corpus/token_text.hpp"
#include "datasets/text/documents.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// The tokens of the documents. A line end between two lines of a document is a
// token; documents without tokens are left out. Throws IoError, and DataError if no token is left.
TokenText write_tokens(const DocumentFiles& files, const Tokenizer& tokenizer);

}  // namespace tapehead
