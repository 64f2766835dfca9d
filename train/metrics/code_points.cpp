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

// Whether the first character that is not case-ignorable is a letter with case.
bool begins_cased(auto&& characters) {
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

enum class Parted { first, second };

// s/(first)(second)/ $1 $2/g or s/(first)(second)/$1 $2 /g: puts blanks around one of the two. The
// rules of the tokenizers are such substitutions, one after the other over the whole sentence. A
// substitution is one scan from left to right that does not look at a replaced pair again. So if
// two commas follow each other, one rule finds the first and the next rule the second. `result`
// first has the greatest possible length and is then cut.
std::u32string part_pairs(const std::u32string& line, auto first, auto second, Parted parted) {
  std::u32string result(2 * line.size(), U' ');
  auto end = result.begin();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (i + 1 < line.size() && first(line[i]) && second(line[i + 1])) {
      end += parted == Parted::first ? 1 : 0;
      *end++ = line[i++];
      ++end;
      *end++ = line[i];
      end += parted == Parted::second ? 1 : 0;
    } else {
      *end++ = line[i];
    }
  }
  result.erase(end, result.end());
  return result;
}

// s/(each)/ $1 /g
std::u32string part_each(const std::u32string& line, auto each) {
  std::u32string result(3 * line.size(), U' ');
  auto end = result.begin();
  for (const char32_t c : line) {
    const bool parts = each(c);
    end += parts ? 1 : 0;
    *end++ = c;
    end += parts ? 1 : 0;
  }
  result.erase(end, result.end());
  return result;
}

void replace_all(std::u32string& line, std::u32string_view from, std::u32string_view to) {
  for (std::size_t at = line.find(from); at != std::u32string::npos;
       at = line.find(from, at + to.size())) {
    line.replace(at, from.size(), to);
  }
}

// The order matters: &amp;lt; becomes < and &amp;quot; becomes &quot;.
void normalize_13a(std::u32string& line) {
  const auto is_special = [](char32_t c) { return c == U'<' || c == U'\n' || c == U'&'; };
  if (std::ranges::none_of(line, is_special)) {
    return;
  }
  replace_all(line, U"<skipped>", U"");
  replace_all(line, U"-\n", U"");
  replace_all(line, U"\n", U" ");
  replace_all(line, U"&quot;", U"\"");
  replace_all(line, U"&amp;", U"&");
  replace_all(line, U"&lt;", U"<");
  replace_all(line, U"&gt;", U">");
}

std::u32string tokenize_13a(std::u32string line) {
  const auto is_digit = [](char32_t c) { return c >= U'0' && c <= U'9'; };
  const auto is_other = [&](char32_t c) { return !is_digit(c); };
  const auto is_point = [](char32_t c) { return c == U'.' || c == U','; };
  const auto is_dash = [](char32_t c) { return c == U'-'; };
  const auto is_symbol = [](char32_t c) {  // ASCII symbols except ' , - .
    return (c >= U'{' && c <= U'~') || (c >= U'[' && c <= U'`') || (c >= U' ' && c <= U'&') ||
           (c >= U'(' && c <= U'+') || (c >= U':' && c <= U'@') || c == U'/';
  };
  normalize_13a(line);
  line.insert(0, 1, U' ') += U' ';
  line = part_each(line, is_symbol);
  line = part_pairs(line, is_other, is_point, Parted::second);
  line = part_pairs(line, is_point, is_other, Parted::first);
  return part_pairs(line, is_digit, is_dash, Parted::second);
}

// Whether a character's general category is in the mask, which has one bit per category.
template <std::uint32_t mask>
bool is_any(char32_t c) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0;
}

std::u32string tokenize_intl(std::u32string line) {
  const auto is_not_number = [](char32_t c) { return !is_any<U_GC_N_MASK>(c); };
  line = part_pairs(line, is_not_number, is_any<U_GC_P_MASK>, Parted::second);
  line = part_pairs(line, is_any<U_GC_P_MASK>, is_not_number, Parted::first);
  return part_each(line, is_any<U_GC_S_MASK>);
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

bool is_word_character(char32_t c) {
  const auto category = U_MASK(u_charType(static_cast<UChar32>(c)));
  return c == U'_' || (category & (U_GC_L_MASK | U_GC_N_MASK)) != 0;
}

std::u32string lower_case(std::u32string text) {
  const auto is_special = [](char32_t c) { return c == capital_i_with_dot || c == capital_sigma; };
  if (std::ranges::none_of(text, is_special)) {
    std::ranges::transform(text, text.begin(), lower);
    return text;
  }
  std::u32string lowered;
  lowered.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == capital_i_with_dot) {
      lowered += {U'i', combining_dot};
    } else {
      lowered += text[i] == capital_sigma ? lower_sigma(text, i) : lower(text[i]);
    }
  }
  return lowered;
}

std::u32string tokenize(std::u32string sentence, BleuTokenizer tokenizer) {
  switch (tokenizer) {
    case BleuTokenizer::none:
      return sentence;
    case BleuTokenizer::v13a:
      return tokenize_13a(std::move(sentence));
    case BleuTokenizer::intl:
      return tokenize_intl(std::move(sentence));
    case BleuTokenizer::character:
      return part_each(sentence, [](char32_t) { return true; });
  }
  return sentence;
}

}  // namespace tapehead
