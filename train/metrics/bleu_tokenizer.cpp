#include "train/metrics/bleu_tokenizer.hpp"

#include <unicode/uchar.h>

namespace tapehead {

namespace {

enum class Parted { first, second };

// s/(first)(second)/ $1 $2/g or s/(first)(second)/$1 $2 /g: one of the two gets blanks around it.
// The rules are such substitutions, which run one after the other over the whole sentence. Each is
// a single scan from left to right that does not look at a replaced pair again. So of two commas in
// a row one rule finds the first, and another rule the second. The result is written into a string
// of the greatest possible length, which is then cut.
template <class First, class Second>
std::u32string part_pairs(const std::u32string& line, First first, Second second, Parted parted) {
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
template <class Each>
std::u32string part_each(const std::u32string& line, Each each) {
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
