#include "core/shown.hpp"

#include <new>

#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr Index longest_line = 4000;  // of a message; our own have a few hundred at most

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

std::string escape(char32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return code < 0x80 ? fmt::format("\\x{:02x}", static_cast<unsigned>(code))
                         : fmt::format("\\u{:04x}", static_cast<unsigned>(code));
  }
}

// Takes the first character. Each byte that is not UTF-8 is one by itself.
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
  return is_hidden(code) ? escape(code) : std::string(character);
}

std::string message_of_filesystem(const std::filesystem::filesystem_error& error) {
  if (!error.path1().empty()) {
    return fmt::format("cannot use {}: {}", error.path1().string(), error.code().message());
  }
  // "filesystem error: cannot get current path: ..."
  constexpr std::string_view prefix = "filesystem error: ";
  const std::string_view message = error.what();
  return std::string(message.substr(message.starts_with(prefix) ? prefix.size() : 0));
}

}  // namespace

// A text may be long, so its characters are not kept.
std::string shown(std::string_view text, Index most) {
  Index count = 0;
  for (std::string_view rest = text; !rest.empty(); ++count) {
    take_character(rest);
  }
  const Index tail = most / 4;  // the end distinguishes names of files
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

std::string printable(std::string_view message) {
  std::string result;
  while (true) {
    const std::size_t end = message.find('\n');
    result += shown(message.substr(0, end), longest_line);
    if (end == std::string_view::npos) {
      return result;
    }
    result += '\n';
    message.remove_prefix(end + 1);
  }
}

bool has_hidden_characters(std::string_view text) {
  bool hidden = false;
  while (!text.empty() && !hidden) {
    const std::string_view character = take_character(text);
    hidden = shown_character(character) != character;
  }
  return hidden;
}

std::string plain_message(const std::exception& error) {
  // A length_error asks for more than any memory has.
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
      dynamic_cast<const std::length_error*>(&error) != nullptr) {
    return "out of memory; try a smaller model, smaller training.batch_tokens or "
           "evaluation.batch_tokens, or fewer threads";
  }
  const auto* const file = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
  return file != nullptr ? message_of_filesystem(*file) : error.what();
}

}  // namespace tapehead
