// Numbers are read by from_chars, after what only people write has been taken out.
#include "train/config/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "core/errors.hpp"

namespace tapehead {
namespace {

bool is_digit(char character) { return character >= '0' && character <= '9'; }

std::string without_underscores(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between =
        i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (text[i] != '_' || !between) plain += text[i];
  }
  return plain;
}

void refuse_non_finite(std::string_view unsigned_text) {
  std::string word(unsigned_text.substr(unsigned_text.starts_with('.') ? 1 : 0));
  std::ranges::transform(word, word.begin(), [](char character) {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character + 32) : character;
  });
  constexpr std::array<std::string_view, 3> words{"nan", "inf", "infinity"};
  if (std::ranges::find(words, word) != words.end()) throw ConfigError("not finite");
}

// The text as from_chars takes it.
std::string plain_decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  refuse_non_finite(text);
  if (!text.empty() && !is_digit(text.front()) && text.front() != '.') {
    throw ConfigError("not a number");
  }
  std::string digits = without_underscores(text);
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) {
    const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    throw ConfigError(fmt::format("a leading zero, which some read as octal: write {}",
                                  digits.substr(is_digit(digits[first]) ? first : first - 1)));
  }
  return negative ? "-" + digits : digits;
}

// Nothing if the text is no number of this type at all.
template <class Number>
std::optional<Number> read_exactly(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) throw ConfigError("out of range");
  return value;
}

template <class Whole>
Whole parse_integer(std::string_view text) {
  const std::string plain = plain_decimal(text);
  if (const auto value = read_exactly<Whole>(plain)) return *value;
  const double value = parse_number(text);
  constexpr double exact = 9007199254740992;  // 2^53: beyond it doubles are no longer every integer
  if (value != std::floor(value)) throw ConfigError("not a whole number");
  if (std::abs(value) > exact || (std::is_unsigned_v<Whole> && value < 0)) {
    throw ConfigError("out of range");
  }
  return static_cast<Whole>(value);
}

}  // namespace

double parse_number(std::string_view text) {
  const auto value = read_exactly<double>(plain_decimal(text));
  if (!value) throw ConfigError("not a number");
  return *value;
}

Index parse_whole(std::string_view text) { return parse_integer<Index>(text); }

std::uint64_t parse_unsigned(std::string_view text) { return parse_integer<std::uint64_t>(text); }

}  // namespace tapehead
