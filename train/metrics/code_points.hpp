// The characters and words of texts that metrics compare. Decodes UTF-8, follows Python's
// definitions of white space, words and lower case, so that metrics equal those of Python packages,
// and splits sentences like sacreBLEU's tokenizers.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

// The characters of a text. A byte that belongs to no valid character becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

// White space for str.split() and str.strip() (Python 3: category Zs, or bidirectional class WS, B
// or S).
bool is_space(char32_t c);

// str.split(): calls visit(word) for each run of characters that are not white space.
void for_each_word(std::u32string_view text, const auto& visit) {
  for (auto begin = std::ranges::find_if_not(text, is_space); begin != text.end();) {
    const auto end = std::find_if(begin, text.end(), is_space);
    visit(std::u32string_view(begin, end));
    begin = std::find_if_not(end, text.end(), is_space);
  }
}

// \w of Python's re: letters, numbers (str.isalnum()) and the underscore.
bool is_word_character(char32_t c);

// str.lower(): the full mapping of The Unicode Standard, section 3.13, including its rule for a
// final sigma; İ becomes two characters.
std::u32string lower_case(std::u32string text);

// none splits at white space, v13a like mteval-v13a.pl (the script of the WMT shared tasks), intl
// like mteval-v14.pl --international-tokenization, character after each character.
enum class BleuTokenizer { none, v13a, intl, character };
constexpr ValueNames<4> value_names(BleuTokenizer) { return {"none", "13a", "intl", "char"}; }

// The sentence with white space (see is_space) between its tokens, and perhaps around them.
std::u32string tokenize(std::u32string sentence, BleuTokenizer tokenizer);

}  // namespace tapehead
