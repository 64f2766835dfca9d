#include "train/metrics/bleu_tokenizer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <unicode/uchar.h>

namespace tapehead {

namespace {

// The rules are substitutions, which run one after the other over the whole sentence. Each is a
// single scan from left to right that does not look at a replaced pair again, like s/(a)(b)/.../g.
// So of two commas in a row one rule finds the first, and another rule the second. The result is
// written into a string of the greatest possible length, which is then cut.
template <class First, class Second, class Write>
std::u32string rewrite_pairs(const std::u32string& line, First first, Second second, Write write) {
  std::u32string result(2 * line.size(), U' ');
  auto end = result.begin();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (i + 1 < line.size() && first(line[i]) && second(line[i + 1])) {
      end = write(end, line[i], line[i + 1]);
      ++i;
    } else {
      *end++ = line[i];
    }
  }
  result.erase(end, result.end());
  return result;
}

// s/(first)(second)/ $1 $2/g
template <class First, class Second>
std::u32string part_first(const std::u32string& line, First first, Second second) {
  return rewrite_pairs(line, first, second, [](auto end, char32_t a, char32_t b) {
    return std::ranges::copy(std::array{U' ', a, U' ', b}, end).out;
  });
}

// s/(first)(second)/$1 $2 /g
template <class First, class Second>
std::u32string part_second(const std::u32string& line, First first, Second second) {
  return rewrite_pairs(line, first, second, [](auto end, char32_t a, char32_t b) {
    return std::ranges::copy(std::array{a, U' ', b, U' '}, end).out;
  });
}

// s/(parted)/ $1 /g
template <class Parted>
std::u32string part_each(const std::u32string& line, Parted parted) {
  std::u32string result(3 * line.size(), U' ');
  auto end = result.begin();
  for (const char32_t c : line) {
    const bool parts = parted(c);
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

// In this order: &amp;lt; becomes < and &amp;quot; becomes &quot;.
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
  const auto is_symbol = [](char32_t c) {  // those of ASCII, except ' , - .
    return (c >= U'{' && c <= U'~') || (c >= U'[' && c <= U'`') || (c >= U' ' && c <= U'&') ||
           (c >= U'(' && c <= U'+') || (c >= U':' && c <= U'@') || c == U'/';
  };
  normalize_13a(line);
  line.insert(0, 1, U' ') += U' ';
  line = part_each(line, is_symbol);
  line = part_second(line, is_other, is_point);
  line = part_first(line, is_point, is_other);
  return part_second(line, is_digit, is_dash);
}

// Whether a character's general category is in the mask, which has one bit per category.
template <std::uint32_t mask>
bool is_any(char32_t c) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0;
}

std::u32string tokenize_intl(std::u32string line) {
  const auto is_not_number = [](char32_t c) { return !is_any<U_GC_N_MASK>(c); };
  line = part_second(line, is_not_number, is_any<U_GC_P_MASK>);
  line = part_first(line, is_any<U_GC_P_MASK>, is_not_number);
  return part_each(line, is_any<U_GC_S_MASK>);
}

}  // namespace

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
