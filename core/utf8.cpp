#include "core/utf8.hpp"

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

}  // namespace tapehead
