// The types of tokenizers for text, and of the normalisation of text for them, and a tokenizer of
// any type but SentencePiece's, made from lines of text.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/fields.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

enum class TokenizerKind { word, character, bpe, unigram, byte, byte_bpe, word_piece };
// Whether SentencePiece trains it.
constexpr bool is_sentencepiece(TokenizerKind kind) {
  return kind == TokenizerKind::bpe || kind == TokenizerKind::unigram;
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

// Of at most so many entries, marks included; bytes have their 256 in any case. `lower_case`: of a
// WordPiece, whether its text loses its case and its accents.
std::shared_ptr<const Tokenizer> tokenizer_of_lines(TokenizerKind kind,
                                                    std::span<const std::string> lines,
                                                    Index vocabulary, bool lower_case = false);

}  // namespace tapehead
