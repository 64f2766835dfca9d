// The types of tokenizers for text, and of the normalisation of text for them, and a tokenizer of
// any type but SentencePiece's, made from lines of text.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/fields.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

enum class TokenizerKind { word, character, bpe, unigram, byte, byte_bpe, word_piece };
constexpr ValueNames<7> value_names(TokenizerKind) {
  return {"word", "character", "bpe", "unigram", "byte", "byte_bpe", "word_piece"};
}
// Whether SentencePiece trains it.
constexpr bool is_sentencepiece(TokenizerKind kind) {
  return kind == TokenizerKind::bpe || kind == TokenizerKind::unigram;
}

enum class Normalization { identity, nfkc, nfkc_cf };
constexpr ValueNames<3> value_names(Normalization) { return {"identity", "nfkc", "nfkc_cf"}; }

// Of at most so many entries, marks included; bytes have their 256 in any case. `lower_case`: of a
// WordPiece, whether its text loses its case and its accents.
std::shared_ptr<const Tokenizer> tokenizer_of_lines(TokenizerKind kind,
                                                    std::span<const std::string> lines,
                                                    Index vocabulary, bool lower_case = false);

}  // namespace tapehead
