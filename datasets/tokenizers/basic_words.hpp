// The words of BERT's basic tokenizer: text without control characters, cut at white space and at
// punctuation (Devlin et al. 2019, and its code, tokenization.py).
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

struct BasicWordOptions {
  bool clean = true;               // without control characters and U+FFFD
  bool chinese_characters = true;  // each Chinese character is a word
  bool strip_accents = true;       // in canonical decomposition, without non-spacing marks
  bool lower_case = true;
};

// In order. Each punctuation character is a word. Bytes that are not UTF-8 count as U+FFFD.
std::vector<std::string> basic_words(std::string_view text, const BasicWordOptions& options);

}  // namespace tapehead
