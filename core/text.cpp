#include "core/text.hpp"

#include <algorithm>
#include <numeric>

namespace tapehead {

namespace {

// The valid range of the second byte after a given first byte, and the length of the character.
struct Form {
  std::size_t length;
  unsigned char second_minimum;
  unsigned char second_maximum;
};

Form form_of(unsigned char first) {
  if (first < 0x80) {
    return {1, 0, 0};
  }
  if (first < 0xC2) {
    return {0, 0, 0};
  }
  if (first < 0xE0) {
    return {2, 0x80, 0xBF};
  }
  if (first == 0xE0) {
    return {3, 0xA0, 0xBF};
  }
  if (first == 0xED) {
    return {3, 0x80, 0x9F};
  }
  if (first < 0xF0) {
    return {3, 0x80, 0xBF};
  }
  if (first == 0xF0) {
    return {4, 0x90, 0xBF};
  }
  if (first < 0xF4) {
    return {4, 0x80, 0xBF};
  }
  if (first == 0xF4) {
    return {4, 0x80, 0x8F};
  }
  return {0, 0, 0};
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Form form = form_of(byte(0));
  if (form.length > text.size()) {
    return 0;
  }
  if (form.length > 1 && (byte(1) < form.second_minimum || byte(1) > form.second_maximum)) {
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
