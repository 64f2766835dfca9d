// The tokenizers of sacreBLEU, which split sentences before their words are compared.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

// none: at white space. v13a: like mteval-v13a.pl, the script of the WMT shared tasks. intl: like
// mteval-v14.pl --international-tokenization. character: every character.
enum class BleuTokenizer { none, v13a, intl, character };
constexpr ValueNames<4> value_names(BleuTokenizer) { return {"none", "13a", "intl", "char"}; }

// The sentence with white space (see is_space) between its tokens, and perhaps around them.
std::u32string tokenize(std::u32string sentence, BleuTokenizer tokenizer);

}  // namespace tapehead
