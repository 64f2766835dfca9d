// Pre-tokenization cuts text before its parts become tokens: into the chunks of GPT-2 for
// byte-level BPE, into the words of BERT's basic tokenizer (Devlin et al. 2019, and its code,
// tokenization.py), and a long line into parts.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Takes the first chunk from the front of `text` (not empty), by the pattern in GPT-2's code
// (Radford et al. 2019),
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// Character classes follow Unicode; an invalid byte is no letter, number or space.
std::string_view next_chunk(std::string_view& text);

// All chunks of a text, in order. Together they are the text.
std::vector<std::string_view> chunks_of(std::string_view text);

// Takes the front of a line up to a space: the first space with at least `bytes` bytes before it,
// and with an ASCII letter or digit on both sides. Takes the whole line if there is no such space.
std::string_view take_part(std::string_view& line, std::size_t bytes);

struct BasicWordOptions {
  bool clean = true;               // removes control characters and U+FFFD
  bool chinese_characters = true;  // each Chinese character is a word
  bool strip_accents = true;       // decomposes canonically and removes non-spacing marks
  bool lower_case = true;
};

// The words in order. Each punctuation character is a word. Invalid UTF-8 counts as U+FFFD.
std::vector<std::string> basic_words(std::string_view text, const BasicWordOptions& options);

}  // namespace tapehead
