// Helpers for the text of messages.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

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

// Without the blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);

// "0, 3, 4 and 6 more": at most eight of the numbers, and how many more there are.
std::string listed(const std::vector<Index>& numbers);

}  // namespace tapehead
