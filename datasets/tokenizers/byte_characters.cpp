#include "datasets/tokenizers/byte_characters.hpp"

#include <unordered_map>

namespace tapehead {

namespace {

// Of Latin-1, without the space, the no-break space and the soft hyphen.
bool is_printable(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

// In UTF-8, below U+0800.
std::string utf8(int code_point) {
  if (code_point < 0x80) {
    return std::string(1, static_cast<char>(code_point));
  }
  return {static_cast<char>(0xC0 | (code_point >> 6)),
          static_cast<char>(0x80 | (code_point & 0x3F))};
}

}  // namespace

const std::array<ByteCharacter, 256>& byte_characters() {
  static const auto table = [] {
    std::array<ByteCharacter, 256> rows;
    auto next = rows.begin();
    for (const bool printable : {true, false}) {
      int shifted = 0x100;
      for (int byte = 0; byte < 256; ++byte) {
        if (is_printable(byte) == printable) {
          *next++ = {static_cast<char>(byte), utf8(printable ? byte : shifted++)};
        }
      }
    }
    return rows;
  }();
  return table;
}

std::string spelled_bytes(std::string_view bytes) {
  static const auto characters = [] {
    std::array<std::string, 256> table;
    for (const ByteCharacter& row : byte_characters()) {
      table[static_cast<unsigned char>(row.byte)] = row.character;
    }
    return table;
  }();
  std::string spelled;
  for (const char byte : bytes) {
    spelled += characters[static_cast<unsigned char>(byte)];
  }
  return spelled;
}

std::optional<std::string> bytes_of_spelling(std::string_view spelled) {
  static const auto bytes = [] {
    std::unordered_map<std::string_view, char> table;
    for (const ByteCharacter& row : byte_characters()) {
      table.emplace(row.character, row.byte);
    }
    return table;
  }();
  std::string text;
  while (!spelled.empty()) {
    const std::size_t length = static_cast<unsigned char>(spelled.front()) < 0x80 ? 1 : 2;
    const auto found = bytes.find(spelled.substr(0, length));
    if (found == bytes.end()) {
      return std::nullopt;
    }
    text += found->second;
    spelled.remove_prefix(length);
  }
  return text;
}

}  // namespace tapehead
