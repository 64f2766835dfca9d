// The code point of a character in UTF-8.
#pragma once

#include <string_view>

namespace tapehead {

// Of the first character, which must be valid (The Unicode Standard, table 3-6).
inline char32_t first_code_point(std::string_view text) {
  const auto bits = [&](std::size_t i, unsigned mask) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[i]) & mask);
  };
  if (bits(0, 0x80) == 0) {
    return bits(0, 0x7F);
  }
  if (bits(0, 0x20) == 0) {
    return bits(0, 0x1F) << 6 | bits(1, 0x3F);
  }
  if (bits(0, 0x10) == 0) {
    return bits(0, 0x0F) << 12 | bits(1, 0x3F) << 6 | bits(2, 0x3F);
  }
  return bits(0, 0x07) << 18 | bits(1, 0x3F) << 12 | bits(2, 0x3F) << 6 | bits(3, 0x3F);
}

}  // namespace tapehead
