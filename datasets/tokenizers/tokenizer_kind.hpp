// The types of tokenizers for text, and of the normalisation of text for them.
#pragma once

#include <array>
#include <string_view>

#include "core/fields.hpp"

namespace tapehead {

enum class TokenizerKind { word, character, bpe, unigram, byte };
enum class Normalization { identity, nfkc, nfkc_cf };

template <>
struct EnumNames<TokenizerKind> {
  static constexpr std::array<std::string_view, 5> names{"word", "character", "bpe", "unigram",
                                                         "byte"};
};
template <>
struct EnumNames<Normalization> {
  static constexpr std::array<std::string_view, 3> names{"identity", "nfkc", "nfkc_cf"};
};

}  // namespace tapehead
