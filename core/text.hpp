// Text of any language and of messages: characters of UTF-8, patterns of names, and lists.
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

}  // namespace tapehead
