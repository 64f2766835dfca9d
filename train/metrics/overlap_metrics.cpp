#include "train/metrics/overlap_metrics.hpp"

#include "train/metrics/code_points.hpp"

namespace tapehead {

namespace {

bool is_article(std::u32string_view word) {
  constexpr std::array<std::u32string_view, 3> articles{U"a", U"an", U"the"};
  return std::ranges::find(articles, word) != articles.end();
}

// re.sub(r"\b(a|an|the)\b", " ", text): a boundary is where word characters begin or end, so an
// article goes even if it is joined to a dash.
std::u32string without_articles(std::u32string_view text) {
  std::u32string rest;
  for (std::size_t i = 0; i < text.size();) {
    const auto end = std::ranges::find_if_not(text.substr(i), is_word_character);
    const auto length = static_cast<std::size_t>(end - text.substr(i).begin());
    const std::u32string_view word = text.substr(i, length);
    rest += is_article(word) ? U" " : word;
    i += length;
    if (i < text.size()) {
      rest += text[i++];
    }
  }
  return rest;
}

// The number of words of a longest common subsequence. L(i, j), that of the first i and the first j
// words, is L(i-1, j-1) + 1 if words i and j are equal, else the larger of L(i-1, j) and L(i, j-1).
// Only one row of L is kept.
Index longest_common_subsequence(const std::vector<std::string>& one,
                                 const std::vector<std::string>& other) {
  std::vector<Index> lengths(other.size() + 1, 0);
  for (const std::string& word : one) {
    Index diagonal = 0;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const Index above = lengths[j];
      lengths[j] = word == other[j - 1] ? diagonal + 1 : std::max(above, lengths[j - 1]);
      diagonal = above;
    }
  }
  return lengths.back();
}

}  // namespace

std::vector<std::string> rouge_words(std::string_view text) {
  std::u32string lowered = decode_utf8(text);
  make_lower_case(lowered);
  std::vector<std::string> words(1);
  for (const char32_t c : lowered) {
    if ((c >= U'a' && c <= U'z') || (c >= U'0' && c <= U'9')) {
      words.back() += static_cast<char>(c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) {
    words.pop_back();
  }
  return words;
}

// 2 / (1 / precision + 1 / recall) = 2 L / (words of the hypothesis + words of the reference).
double rouge_l(std::string_view hypothesis, std::string_view reference) {
  const std::vector<std::string> said = rouge_words(hypothesis);
  const std::vector<std::string> right = rouge_words(reference);
  const Index common = longest_common_subsequence(said, right);
  return common == 0
             ? 0
             : 2.0 * static_cast<double>(common) / static_cast<double>(said.size() + right.size());
}

std::vector<std::u32string> answer_words(std::string_view answer) {
  std::u32string text = decode_utf8(answer);
  make_lower_case(text);
  std::erase_if(text, is_ascii_punctuation);
  std::vector<std::u32string> words;
  for_each_word(without_articles(text),
                [&](std::u32string_view word) { words.emplace_back(word); });
  return words;
}

bool exact_match(std::string_view answer, std::string_view reference) {
  return answer_words(answer) == answer_words(reference);
}

double token_f1(std::string_view answer, std::string_view reference) {
  std::vector<std::u32string> said = answer_words(answer);
  std::vector<std::u32string> right = answer_words(reference);
  if (said.empty() || right.empty()) {
    return said.empty() && right.empty() ? 1 : 0;
  }
  std::ranges::sort(said);
  std::ranges::sort(right);
  std::vector<std::u32string> common;
  std::ranges::set_intersection(said, right, std::back_inserter(common));
  return 2.0 * static_cast<double>(common.size()) / static_cast<double>(said.size() + right.size());
}

std::string rouge_signature(const EvaluationOptions&) {
  return "case:lc|tok:a-z0-9|stem:no|rouge-score:0.1.2";
}

std::string answer_signature(const EvaluationOptions&) {
  return "case:lc|punctuation:no|articles:no|squad:2.0";
}

}  // namespace tapehead
