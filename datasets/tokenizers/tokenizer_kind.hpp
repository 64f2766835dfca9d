// The types of tokenizers for text, and of the normalisation of text for them.
#pragma once

#include <array>
#include <string_view>

#include "core/fields.hpp"

namespace tapehead {

enum class TokenizerKind { word, character, bpe, unigram, byte, byte_bpe, word_piece };
// Whether SentencePiece trains it.
constexpr bool is_sentencepiece(TokenizerKind kind) {
  return kind == TokenizerKind::bpe || kind == TokenizerKind::unigram;
}

// Whether its entries are parts of words.
constexpr bool has_subwords(TokenizerKind kind) {
  return is_sentencepiece(kind) || kind == TokenizerKind::byte_bpe ||
         kind == TokenizerKind::word_piece;
}

enum class Normalization { identity, nfkc, nfkc_cf };

template <>
struct EnumNames<TokenizerKind> {
  static constexpr std::array<std::string_view, 7> names{
      "word", "character", "bpe", "unigram", "byte", "byte_bpe", "word_piece"};
};
template <>
struct EnumNames<Normalization> {
  static constexpr std::array<std::string_view, 3> names{"identity", "nfkc", "nfkc_cf"};
};

}  // namespace tapehead
