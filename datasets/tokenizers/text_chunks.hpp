// Cuts text into chunks as GPT-2 does, in which byte-level BPE merges, and long lines into parts.
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

}  // namespace tapehead
