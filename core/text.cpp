#include "core/text.hpp"

#include <charconv>
#include <new>
#include <system_error>

namespace tapehead {

namespace {

// For first bytes up to `last_first`: the length of the character (0: not a valid first byte), and
// the valid range of its second byte (The Unicode Standard, table 3-7).
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

constexpr Index longest_line = 4000;  // of a message; ours have a few hundred characters

// The code point of a valid character: the low bits of its bytes after the first, 6 from each.
char32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) {
    return first;
  }
  char32_t code = first & (0x7FU >> character.size());
  for (const char byte : character.substr(1)) {
    code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return code;
}

// Controls (C0, DEL, C1), ends of lines and paragraphs, marks of direction, the byte order mark.
bool is_hidden(char32_t code) {
  const auto in = [code](char32_t first, char32_t last) { return first <= code && code <= last; };
  return in(0x00, 0x1F) || in(0x7F, 0x9F) || code == 0x61C || in(0x200E, 0x200F) ||
         in(0x2028, 0x202E) || in(0x2066, 0x2069) || code == 0xFEFF;
}

// Removes and returns the first character. Each byte that is not UTF-8 counts as a character.
std::string_view take_character(std::string_view& text) {
  const std::string_view first = text.substr(0, std::max<std::size_t>(1, utf8_length(text)));
  text.remove_prefix(first.size());
  return first;
}

std::string shown_character(std::string_view character) {
  if (utf8_length(character) == 0) {
    return fmt::format("\\x{:02x}", static_cast<unsigned char>(character.front()));
  }
  const char32_t code = code_point(character);
  if (!is_hidden(code)) {
    return std::string(character);
  }
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return code < 0x7F ? fmt::format("\\x{:02x}", static_cast<unsigned>(code))
                         : fmt::format("\\u{:04x}", static_cast<unsigned>(code));
  }
}

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

// The edit distance of Wagner and Fischer (1974), where d(i, j) compares the first i characters of
// the pattern with the first j of the name. If character i is `*`, characters of the name cost
// nothing: d(i, j) = min(d(i - 1, j), d(i, j - 1)).
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

// Reads the text twice rather than storing its characters, since it may be long.
std::string shown(std::string_view text, Index most) {
  Index count = 0;
  for (std::string_view rest = text; !rest.empty(); ++count) {
    take_character(rest);
  }
  const Index tail = most / 4;  // file names often differ at the end
  const Index head = count <= most ? count : most - tail;
  std::string result;
  for (Index i = 0; i < count; ++i) {
    const std::string_view character = take_character(text);
    if (i < head || i >= count - tail) {
      result += shown_character(character);
    } else if (i == head) {
      result += " ... ";
    }
  }
  return result;
}

std::string replaced(std::string_view text,
                     const std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto found = std::ranges::find_if(
        pairs, [&](const auto& pair) { return text.substr(i).starts_with(pair.first); });
    result += found == pairs.end() ? text.substr(i, 1) : found->second;
    i += found == pairs.end() ? 1 : found->first.size();
  }
  return result;
}

std::vector<std::string_view> text_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

std::string visible(std::string_view text) {
  const auto plain = [](char c) { return (' ' <= c && c <= '~') || c == '\n' || c == '\t'; };
  std::string result;
  while (!text.empty()) {
    const auto rest = std::ranges::find_if_not(text, plain);
    result.append(text.begin(), rest);
    text = {rest, text.end()};
    result += text.empty() ? "" : shown_character(take_character(text));
  }
  return result;
}

std::string printable(std::string_view message) {
  const auto line = [](const auto& part) {
    return shown({part.begin(), part.end()}, longest_line);
  };
  return join(mapped(std::views::split(message, '\n'), line), "\n");
}

bool has_hidden_characters(std::string_view text) { return shown(text, std::ssize(text)) != text; }

// Three bytes become four digits of six bits; "=" fills up the last group.
std::string base64_of(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t first = 0; first < bytes.size(); first += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = first; i < first + 3; ++i) {
      bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t digit = 0; digit < 4; ++digit) {
      const bool missing = first + digit > bytes.size();
      text += missing ? '=' : digits[bits >> (18 - 6 * digit) & 63];
    }
  }
  return text;
}

std::string plain_message(const std::exception& error) {
  // A length_error means that more memory was requested than can exist.
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
      dynamic_cast<const std::length_error*>(&error) != nullptr) {
    return "out of memory; try a smaller model, smaller training.batch_tokens or "
           "evaluation.batch_tokens, or fewer threads";
  }
  const auto* const file = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
  if (file != nullptr && !file->path1().empty()) {
    return fmt::format("cannot use {}: {}", file->path1().string(), file->code().message());
  }
  // "filesystem error: cannot get current path: ..."
  constexpr std::string_view prefix = "filesystem error: ";
  const std::string_view message = error.what();
  const bool prefixed = file != nullptr && message.starts_with(prefix);
  return std::string(message.substr(prefixed ? prefix.size() : 0));
}

}  // namespace tapehead
