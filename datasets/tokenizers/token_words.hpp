// Which word of a text each of its tokens belongs to.
#pragma once

#include <optional>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Whether an entry that begins a word holds the space before it: SentencePiece and byte-level BPE.
bool has_entries_with_spaces(const Tokenizer& tokenizer);

// Whether an entry begins a word, of a tokenizer whose entries are parts of words.
bool begins_word(const Tokenizer& tokenizer, TokenId token);

// For each token of a line the number of its word, from 0; words are what spaces separate, and with
// WordPiece punctuation too. Nothing if the tokenizer's entries are no parts of words: words
// themselves, characters or bytes.
std::optional<std::vector<Index>> words_of_tokens(const Tokenizer& tokenizer,
                                                  const std::vector<TokenId>& tokens);

}  // namespace tapehead
