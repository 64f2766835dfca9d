#include "core/text.hpp"

#include <charconv>
#include <system_error>

namespace tapehead {

namespace {

// For first bytes up to `last_first`: the length of the character, 0 if there is none, and the
// valid range of its second byte (The Unicode Standard, table 3-7).
struct Form {
  unsigned char last_first;
  unsigned char length;
  unsigned char second_minimum = 0;
  unsigned char second_maximum = 0xFF;
};

constexpr std::array<Form, 11> forms{{{0x7F, 1},
                                      {0xC1, 0},
                                      {0xDF, 2, 0x80, 0xBF},
                                      {0xE0, 3, 0xA0, 0xBF},
                                      {0xEC, 3, 0x80, 0xBF},
                                      {0xED, 3, 0x80, 0x9F},
                                      {0xEF, 3, 0x80, 0xBF},
                                      {0xF0, 4, 0x90, 0xBF},
                                      {0xF3, 4, 0x80, 0xBF},
                                      {0xF4, 4, 0x80, 0x8F},
                                      {0xFF, 0}}};

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Form& form = *std::ranges::find_if(
      forms, [first = byte(0)](const Form& of) { return first <= of.last_first; });
  if (form.length > text.size() ||
      (form.length > 1 && (byte(1) < form.second_minimum || byte(1) > form.second_maximum))) {
    return 0;
  }
  for (std::size_t i = 2; i < form.length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) {
      return 0;
    }
  }
  return form.length;
}

std::size_t utf8_valid_bytes(std::string_view text) {
  std::size_t valid = 0;
  while (const std::size_t length = utf8_length(text.substr(valid))) {
    valid += length;
  }
  return valid;
}

// The edit distance of Wagner and Fischer (1974), with d(i, j) of the first i characters of the
// pattern and j of the name, in which `*` takes characters of the name for nothing:
// d(i, j) = min(d(i - 1, j), d(i, j - 1)) where character i is `*`.
Index pattern_distance(std::string_view pattern, std::string_view name) {
  std::vector<Index> distances(name.size() + 1);
  std::iota(distances.begin(), distances.end(), Index{0});
  for (const char wanted : pattern) {
    const bool any = wanted == '*';
    Index diagonal = distances[0];
    distances[0] += any ? 0 : 1;
    for (std::size_t j = 1; j < distances.size(); ++j) {
      const Index above = distances[j];
      const Index replaced = diagonal + (wanted == name[j - 1] ? 0 : 1);
      distances[j] = any ? std::min(above, distances[j - 1])
                         : std::min({replaced, above + 1, distances[j - 1] + 1});
      diagonal = above;
    }
  }
  return distances.back();
}

bool matches(std::string_view pattern, std::string_view name) {
  return pattern_distance(pattern, name) == 0;
}

std::optional<Index> whole_number(std::string_view text) {
  Index number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string listed(const std::vector<Index>& numbers) {
  constexpr std::size_t most = 8;
  const std::string text = join(std::span(numbers).first(std::min(most, numbers.size())), ", ");
  return numbers.size() <= most ? text : fmt::format("{} and {} more", text, numbers.size() - most);
}

}  // namespace tapehead
