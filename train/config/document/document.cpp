// The common part of YAML and JSON documents: checks the text, chooses the parser, and finds
// duplicate keys. Parses numbers with from_chars, which accepts neither `+` nor `_`.
#include "train/config/document/document.hpp"

#include <nlohmann/json.hpp>

#include <charconv>
#include <unordered_map>

#include "core/text.hpp"

namespace tapehead {

namespace {

void check_keys(const ConfigNode& node, std::string_view file) {
  std::unordered_map<std::string_view, Index> lines;
  for (const ConfigEntry& entry : node.entries) {
    const auto [first, fresh] = lines.try_emplace(entry.key, entry.mark.line);
    if (!fresh) {
      fail_at(file, entry.mark,
              fmt::format("{}: written twice; the first one is in line {}", shown(entry.key),
                          first->second));
    }
    check_keys(entry.value, file);
  }
  for (const ConfigNode& item : node.items) {
    check_keys(item, file);
  }
}

bool is_digit(char character) { return character >= '0' && character <= '9'; }

// The text in the form that from_chars accepts.
std::string plain_decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  constexpr std::array<std::string_view, 3> non_finite{"nan", "inf", "infinity"};
  const std::string word = lowered(text.substr(text.starts_with('.') ? 1 : 0));
  if (std::ranges::find(non_finite, word) != non_finite.end()) {
    throw ConfigError("not finite");
  }
  if (!text.empty() && !is_digit(text.front()) && text.front() != '.') {
    throw ConfigError("not a number");
  }
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between_digits =
        i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (text[i] != '_' || !between_digits) {
      digits += text[i];
    }
  }
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) {
    const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    throw ConfigError("a leading zero, which some programs read as octal: write {}",
                      digits.substr(is_digit(digits[first]) ? first : first - 1));
  }
  return negative ? "-" + digits : digits;
}

// A decimal number as 0.(digits) times 10^magnitude, where the first digit is not 0. The number 0
// has no digits.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::ptrdiff_t magnitude = 0;
};

Decimal decimal_of(std::string_view text) {
  Decimal decimal{.negative = text.starts_with('-'), .digits = {}, .magnitude = 0};
  if (decimal.negative) {
    text.remove_prefix(1);
  }
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  std::string_view power = text.substr(std::min(e + 1, text.size()));
  if (power.starts_with('+')) {
    power.remove_prefix(1);
  }
  std::from_chars(power.data(), power.data() + power.size(), decimal.magnitude);
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), e);
  decimal.digits = mantissa.substr(0, point);
  if (point < e) {
    decimal.digits += mantissa.substr(point + 1);
  }
  const std::size_t zeros = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
  decimal.digits.erase(0, zeros);
  decimal.magnitude += static_cast<std::ptrdiff_t>(point) - static_cast<std::ptrdiff_t>(zeros);
  return decimal;
}

// The digits of a whole number in any notation: "2500" for "2.50e3". Nothing if it has a fraction.
std::optional<std::string> whole_digits(std::string_view text) {
  auto [negative, digits, magnitude] = decimal_of(text);
  const std::size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) {
    return "0";
  }
  if (magnitude <= static_cast<std::ptrdiff_t>(last)) {
    return std::nullopt;
  }
  digits.resize(static_cast<std::size_t>(magnitude), '0');
  return (negative ? "-" : "") + digits;
}

// Nothing if the text is not a number of this type. Throws ConfigError if it is out of range.
template <class Number>
std::optional<Number> read_exactly(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    throw ConfigError(decimal_of(text).magnitude < 0 ? "too close to 0" : "out of range");
  }
  return value;
}

// Other parsers read a whole number with a point or an exponent as a double, and not every integer
// beyond 2^53 is a double. Rejecting such numbers makes all parsers read the same value.
template <class Whole>
Whole parse_integer(std::string_view text) {
  const std::string plain = plain_decimal(text);
  if (const auto value = read_exactly<Whole>(plain)) {
    return *value;
  }
  parse_number(text);  // throws if it is not a number
  const auto digits = whole_digits(plain);
  if (!digits) {
    throw ConfigError("not a whole number");
  }
  const auto value = read_exactly<Whole>(*digits);
  if (!value) {
    throw ConfigError("out of range");
  }
  constexpr Whole exact = 9007199254740992;  // 2^53
  if (*value > exact || (std::is_signed_v<Whole> && *value + exact < 0)) {
    throw ConfigError("whole numbers beyond 2^53 take no point and no exponent: write {}", *digits);
  }
  return *value;
}

}  // namespace

ConfigNode make_node(ConfigNode::Kind kind, Mark mark, std::string text) {
  return {.kind = kind, .mark = mark, .text = std::move(text), .entries = {}, .items = {}};
}

TextPlaces::TextPlaces(std::string_view text) : text_(text), starts_{0} {
  characters_.reserve(text.size() + 1);
  std::uint32_t characters = 0;
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    characters_.push_back(characters);
    const bool begins = (static_cast<unsigned char>(text[byte]) & 0xC0U) != 0x80U;
    characters += begins ? 1 : 0;
    if (text[byte] == '\n') {
      starts_.push_back(byte + 1);
    }
  }
  characters_.push_back(characters);
}

Mark TextPlaces::at(std::size_t byte) const {
  byte = std::min(byte, text_.size());
  const auto next = std::ranges::upper_bound(starts_, byte);
  return {next - starts_.begin(), characters_[byte] - characters_[*(next - 1)] + Index{1}};
}

std::string_view TextPlaces::line(Index number) const {
  if (number < 1 || number > std::ssize(starts_)) {
    return {};
  }
  const std::string_view rest = text_.substr(begin_of(number));
  std::string_view line = rest.substr(0, rest.find('\n'));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

void check_characters(std::string_view text, std::string_view file) {
  const auto is_control = [](unsigned char byte) {
    return byte < 0x20 && byte != '\t' && byte != '\r' && byte != '\n';
  };
  const std::size_t valid = utf8_valid_bytes(text);
  const auto control = std::ranges::find_if(text.substr(0, valid), is_control);
  const auto found = static_cast<std::size_t>(control - text.begin());
  if (found < valid) {  // yaml-cpp would stop reading at some of these characters
    fail_at(file, TextPlaces(text).at(found),
            fmt::format("a control character (U+{:04X})", static_cast<unsigned char>(text[found])));
  }
  if (valid < text.size()) {
    fail_at(file, TextPlaces(text).at(valid), "not UTF-8 text");
  }
  // Other programs take it for a line end, yaml-cpp does not.
  for (std::size_t at = text.find('\r'); at < text.size(); at = text.find('\r', at + 1)) {
    if (!text.substr(at).starts_with("\r\n")) {
      fail_at(file, TextPlaces(text).at(at), "a carriage return without a line feed");
    }
  }
}

void fail_at(std::string_view file, Mark mark, std::string_view problem) {
  throw ConfigError("{}:{}:{}: {}", shown(file), mark.line, mark.column, problem);
}

ConfigNode parse_document(std::string_view text, std::string_view file, const DocumentKind& kind) {
  constexpr std::size_t largest = 1 << 20;
  if (text.size() > largest) {
    throw ConfigError("{}: larger than 1 MiB, so not a config", shown(file));
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  check_characters(text, file);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw ConfigError("{}: empty; {}", shown(file), kind.least);
  }
  const bool json = file.ends_with(".json") || nlohmann::json::accept(text);
  ConfigNode root = json ? parse_json(text, file) : parse_yaml(text, file);
  if (root.kind == ConfigNode::Kind::null) {
    throw ConfigError("{}: has no content; {}", shown(file), kind.least);
  }
  if (root.kind != ConfigNode::Kind::mapping) {
    fail_at(file, root.mark, fmt::format("not a mapping of {}", kind.parts));
  }
  check_keys(root, file);
  return root;
}

std::string lowered(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(), [](char character) {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character + 32) : character;
  });
  return word;
}

double parse_number(std::string_view text) {
  const auto value = read_exactly<double>(plain_decimal(text));
  if (!value) {
    throw ConfigError("not a number");
  }
  return *value;
}

Index parse_whole(std::string_view text) { return parse_integer<Index>(text); }

std::uint64_t parse_unsigned(std::string_view text) { return parse_integer<std::uint64_t>(text); }

}  // namespace tapehead
