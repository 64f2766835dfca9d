// Makes a tokenizer of our own, of any kind but SentencePiece's, from lines of text.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_kind.hpp"

namespace tapehead {

// Of at most so many entries, marks included; bytes have their 256 in any case. `lower_case`: of a
// WordPiece, whether its text loses its case and its accents.
std::shared_ptr<const Tokenizer> tokenizer_of_lines(TokenizerKind kind,
                                                    std::span<const std::string> lines,
                                                    Index vocabulary, bool lower_case = false);

}  // namespace tapehead
