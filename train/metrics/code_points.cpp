#include "train/metrics/code_points.hpp"

#include <unicode/uchar.h>

#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr char32_t replacement_character = 0xFFFD;
constexpr char32_t capital_i_with_dot = 0x130;
constexpr char32_t combining_dot = 0x307;
constexpr char32_t capital_sigma = 0x3A3;
constexpr char32_t small_sigma = 0x3C3;
constexpr char32_t final_sigma = 0x3C2;

char32_t byte_of(char byte) { return static_cast<unsigned char>(byte); }

// The code point of a valid character of 2 to 4 bytes: the bits after its first byte's marker, then
// six bits of each further byte.
char32_t assemble(std::string_view bytes) {
  char32_t c = byte_of(bytes.front()) & (0x7FU >> bytes.size());
  for (const char byte : bytes.substr(1)) {
    c = (c << 6) | (byte_of(byte) & 0x3FU);
  }
  return c;
}

bool has(char32_t c, UProperty property) {
  return u_hasBinaryProperty(static_cast<UChar32>(c), property) != 0;
}

// Whether the first relevant character, going away from a sigma, is a letter with case.
template <class Characters>
bool begins_cased(Characters&& characters) {
  const auto first =
      std::ranges::find_if(characters, [](char32_t c) { return !has(c, UCHAR_CASE_IGNORABLE); });
  return first != characters.end() && has(*first, UCHAR_CASED);
}

// The Unicode Standard, table 3-17: Final_Sigma.
char32_t lower_sigma(std::u32string_view text, std::size_t position) {
  const bool ends_word = begins_cased(text.substr(0, position) | std::views::reverse) &&
                         !begins_cased(text.substr(position + 1));
  return ends_word ? final_sigma : small_sigma;
}

char32_t lower(char32_t c) {
  if (c < 0x80) {
    return c >= U'A' && c <= U'Z' ? c + (U'a' - U'A') : c;
  }
  return static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
}

void lower_with_context(std::u32string& text) {
  std::u32string lowered;
  lowered.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == capital_i_with_dot) {
      lowered += {U'i', combining_dot};
    } else {
      lowered += text[i] == capital_sigma ? lower_sigma(text, i) : lower(text[i]);
    }
  }
  text = std::move(lowered);
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string decoded(text.size(), U'\0');
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (byte_of(text[i]) < 0x80) {
      decoded[count++] = byte_of(text[i++]);
      continue;
    }
    const std::size_t length = utf8_length(text.substr(i));
    decoded[count++] = length > 0 ? assemble(text.substr(i, length)) : replacement_character;
    i += std::max<std::size_t>(length, 1);
  }
  decoded.resize(count);
  return decoded;
}

bool is_space(char32_t c) {
  if (c < 0x80) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  }
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_ascii_punctuation(char32_t c) {
  return (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') ||
         (c >= U'{' && c <= U'~');
}

bool is_word_character(char32_t c) {
  const auto category = U_MASK(u_charType(static_cast<UChar32>(c)));
  return c == U'_' || (category & (U_GC_L_MASK | U_GC_N_MASK)) != 0;
}

void make_lower_case(std::u32string& text) {
  const auto is_special = [](char32_t c) { return c == capital_i_with_dot || c == capital_sigma; };
  if (std::ranges::any_of(text, is_special)) {
    lower_with_context(text);
  } else {
    std::ranges::transform(text, text.begin(), lower);
  }
}

}  // namespace tapehead
