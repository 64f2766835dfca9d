// Text of any language and of messages: characters of UTF-8, patterns of names, and lists; text
// from outside as messages may show it, so that no part of it controls the terminal; and the
// message of an error, for people.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Bytes of the first character, 1 to 4; 0 when the text is empty or does not begin with a valid one
// (overlong forms, surrogates and values above U+10FFFF are not).
std::size_t utf8_length(std::string_view text);

// Bytes before the first invalid one: text.size() when all are valid.
std::size_t utf8_valid_bytes(std::string_view text);

// The fewest characters to insert, delete or replace in the name until the pattern matches it. In a
// pattern, `*` stands for any characters, also for none.
Index pattern_distance(std::string_view pattern, std::string_view name);

// Whether the pattern matches the whole name.
bool matches(std::string_view pattern, std::string_view name);

// The items one after the other, with `separator` between them.
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

// The number if the text is one alone, in digits that may follow a minus sign; otherwise nothing.
std::optional<Index> whole_number(std::string_view text);

// Without the blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);

// "0, 3, 4 and 6 more": at most eight of the numbers, and how many more there are.
std::string listed(const std::vector<Index>& numbers);

// The text in one line. Control characters, characters that change the direction or end the line,
// and bytes that are not UTF-8 become escapes such as \n and \x1b. If the text is longer than
// `most` characters, its middle becomes " ... ". Everything that tapehead did not write itself
// (keys, values, tokens, names of files) passes through here into a message.
std::string shown(std::string_view text, Index most = 200);

// The last step before a whole message is printed: it keeps its line breaks, but everything else
// that shown() escapes is escaped here too, and lines are cut to 4000 characters.
std::string printable(std::string_view message);

// Whether the text holds a character that shown() would escape.
bool has_hidden_characters(std::string_view text);

// Plain words for lack of memory and for errors of std::filesystem, with the path if the error
// knows it; the message of any other error as it is.
std::string plain_message(const std::exception& error);

}  // namespace tapehead
