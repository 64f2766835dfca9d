#include "core/shown.hpp"

#include <array>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

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
  constexpr std::array<std::pair<char32_t, char32_t>, 7> ranges{{{0x00, 0x1F},
                                                                 {0x7F, 0x9F},
                                                                 {0x61C, 0x61C},
                                                                 {0x200E, 0x200F},
                                                                 {0x2028, 0x202E},
                                                                 {0x2066, 0x2069},
                                                                 {0xFEFF, 0xFEFF}}};
  for (const auto& [first, last] : ranges) {
    if (code >= first && code <= last) {
      return true;
    }
  }
  return false;
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

// Removes the first character, and returns it in its shown form.
std::string next_shown(std::string_view& text) {
  const std::size_t length = utf8_length(text);
  const std::string_view character = text.substr(0, length == 0 ? 1 : length);
  text.remove_prefix(character.size());
  if (length == 0) {
    return fmt::format("\\x{:02x}", static_cast<unsigned char>(character.front()));
  }
  const char32_t code = code_point(character);
  return is_hidden(code) ? escape(code) : std::string(character);
}

// Where the last `count` characters begin. Each byte that is not UTF-8 counts as one.
std::size_t begin_of_last(std::string_view text, Index count) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size();) {
    starts.push_back(at);
    const std::size_t length = utf8_length(text.substr(at));
    at += length == 0 ? 1 : length;
  }
  return starts.size() <= static_cast<std::size_t>(count)
             ? 0
             : starts[starts.size() - static_cast<std::size_t>(count)];
}

}  // namespace

std::string shown(std::string_view text, Index most) {
  const Index tail = most / 4;  // the end distinguishes names of files
  std::string result;
  std::string beginning;  // the text before the cut, if there is a cut
  Index characters = 0;
  for (std::string_view rest = text; !rest.empty(); ++characters) {
    if (characters == most - tail) {
      beginning = result;
    }
    if (characters == most) {
      return beginning + " ... " + shown(text.substr(begin_of_last(text, tail)), most);
    }
    result += next_shown(rest);
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
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || is_hidden(code_point(text.substr(0, length)))) {
      return true;
    }
    text.remove_prefix(length);
  }
  return false;
}

namespace {

std::string message_of_filesystem(const std::filesystem::filesystem_error& error) {
  if (!error.path1().empty()) {
    return fmt::format("cannot use {}: {}", error.path1().string(), error.code().message());
  }
  constexpr std::string_view prefix = "filesystem error: ";
  const std::string_view message =
      error.what();  // "filesystem error: cannot get current path: ..."
  return std::string(message.substr(message.starts_with(prefix) ? prefix.size() : 0));
}

}  // namespace

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
