// Makes the tokenizer of a running text.
#pragma once

#include <memory>

#include "datasets/text/documents.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// That of the run `tokenizer_of` or, without one, made from the training text. A line end between
// two lines of a document counts as a character and as a word. Subwords are trained on at most 64
// MB of its lines, evenly chosen. Throws DataError with the file; IoError if there is no such run.
std::shared_ptr<const Tokenizer> make_text_tokenizer(const DocumentFiles& files,
                                                     const TextOptions& options);

}  // namespace tapehead
