// Functions for text: UTF-8, patterns of names, lists, and safe display of outside text.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Bytes of the first character, 1 to 4; 0 if the text is empty or does not begin with a valid
// character (overlong forms, surrogates and values above U+10FFFF are invalid).
std::size_t utf8_length(std::string_view text);

// The number of bytes before the first invalid one; text.size() if all bytes are valid.
std::size_t utf8_valid_bytes(std::string_view text);

// The fewest characters to insert, delete or replace in the name until the pattern matches it. In a
// pattern, `*` matches any number of characters, also none.
Index pattern_distance(std::string_view pattern, std::string_view name);

bool matches(std::string_view pattern, std::string_view name);  // whether it fits the whole name

// The items, with `separator` between them.
template <class Range>
std::string join(const Range& items, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    fmt::format_to(std::back_inserter(text), "{}{}", first ? std::string_view() : separator, item);
    first = false;
  }
  return text;
}

// The number, if the whole text is one: digits, perhaps after a minus sign. Otherwise nothing.
std::optional<Index> whole_number(std::string_view text);

std::string_view trimmed(std::string_view text);  // the text without blanks and tabs at both ends

// The text with the second of a pair in place of each occurrence of the first, from left to right.
std::string replaced(std::string_view text,
                     const std::vector<std::pair<std::string_view, std::string_view>>& pairs);

// The lines, without their ends; the last one may have no end.
std::vector<std::string_view> text_lines(std::string_view text);

// "0, 3, 4 and 6 more": at most eight of the numbers, and how many more there are.
std::string listed(const std::vector<Index>& numbers);

// The text in one line. Control characters, characters that change the direction or end the line,
// and bytes that are not UTF-8 become escapes such as \n and \x1b. If the text is longer than
// `most` characters, its middle becomes " ... ". Messages show all text from outside (keys, values,
// tokens, file names) through this function.
std::string shown(std::string_view text, Index most = 200);

// The text with the hidden characters escaped as by shown(), except line ends and tabs. JSON stays
// the same JSON.
std::string visible(std::string_view text);

// A whole message for printing: shown() of each line, shortened to 4000 characters.
std::string printable(std::string_view message);

bool has_hidden_characters(std::string_view text);  // some that shown() would escape

// Base64 of the bytes (RFC 4648, section 4).
std::string base64_of(std::string_view bytes);

// The message of an error; lack of memory and errors of std::filesystem in plain words.
std::string plain_message(const std::exception& error);

}  // namespace tapehead
