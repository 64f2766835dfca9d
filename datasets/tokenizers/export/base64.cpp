#include "datasets/tokenizers/export/base64.hpp"

#include <cstdint>

namespace tapehead {

// Three bytes are four digits of six bits; what is missing of the last three is "=".
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

}  // namespace tapehead
