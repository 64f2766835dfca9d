// Pre-tokenization: text is cut before its parts become tokens. Into chunks as GPT-2 does, in which
// byte-level BPE merges; a long line into parts; and into the words of BERT's basic tokenizer: text
// without control characters, cut at white space and at punctuation (Devlin et al. 2019, and its
// code, tokenization.py).
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The pattern of the code of GPT-2 (Radford et al. 2019), which `next_chunk` implements.
inline constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// Takes the first chunk from the front of a text that is not empty. Classes of characters are those
// of Unicode; an invalid byte counts as a character that is neither letter, number nor space.
std::string_view next_chunk(std::string_view& text);

// All chunks of a text, in order. Together they are the text.
std::vector<std::string_view> chunks_of(std::string_view text);

// Takes from the front of a line what comes before its first space between ASCII letters or digits
// that has so many bytes in front of it; all of a line without one.
std::string_view take_part(std::string_view& line, std::size_t bytes);

struct BasicWordOptions {
  bool clean = true;               // without control characters and U+FFFD
  bool chinese_characters = true;  // each Chinese character is a word
  bool strip_accents = true;       // in canonical decomposition, without non-spacing marks
  bool lower_case = true;
};

// In order. Each punctuation character is a word. Bytes that are not UTF-8 count as U+FFFD.
std::vector<std::string> basic_words(std::string_view text, const BasicWordOptions& options);

}  // namespace tapehead
