// The types of tokenizers for text, of its normalisation, and the options of how one is made.
#pragma once

#include "core/fields.hpp"

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

// How a tokenizer is made from lines of text.
struct PieceOptions {
  TokenizerKind kind = TokenizerKind::bpe;
  Index vocabulary = 10000;  // at most so many entries, marks included; bytes have 256 in any case
  // For SentencePiece alone:
  Normalization normalization = Normalization::identity;
  double character_coverage = 1.0;
  bool running_text = false;  // spaces stay as they are, and there is an entry for a line end
};

}  // namespace tapehead
