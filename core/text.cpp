#include "core/text.hpp"

namespace tapehead {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string listed(const std::vector<Index>& numbers) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < most; ++i) {
    text += i == 0 ? "" : ", ";
    text += std::to_string(numbers[i]);
  }
  return numbers.size() <= most ? text : fmt::format("{} and {} more", text, numbers.size() - most);
}

}  // namespace tapehead
