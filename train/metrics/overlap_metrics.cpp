#include "train/metrics/overlap_metrics.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "train/metrics/code_points.hpp"
#include "train/metrics/metric_input.hpp"
#include "train/metrics/rouge.hpp"

namespace tapehead {

namespace {

bool is_article(std::u32string_view word) {
  constexpr std::array<std::u32string_view, 3> articles{U"a", U"an", U"the"};
  return std::ranges::find(articles, word) != articles.end();
}

// re.sub(r"\b(a|an|the)\b", " ", text): a boundary is where word characters
// begin or end, so an article goes even if it is joined to a dash.
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

}  // namespace

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

namespace {

// The value of each example, and 1 for the example.
template <class Value>
std::vector<double> values_of(std::span<const ExampleScore> examples, const Value& value) {
  std::vector<double> rows;
  rows.reserve(2 * examples.size());
  for (const ExampleScore& example : examples) {
    rows.insert(rows.end(), {value(example.output, example.reference), 1.0});
  }
  return rows;
}

}  // namespace

std::vector<double> rouge_l_summands(std::span<const ExampleScore> examples,
                                     const EvaluationOptions& /*options*/) {
  return values_of(examples, rouge_l);
}

std::vector<double> token_f1_summands(std::span<const ExampleScore> examples,
                                      const EvaluationOptions& /*options*/) {
  return values_of(examples, token_f1);
}

std::vector<double> exact_match_summands(std::span<const ExampleScore> examples,
                                         const EvaluationOptions& /*options*/) {
  return values_of(examples, [](std::string_view output, std::string_view reference) {
    return exact_match(output, reference) ? 1.0 : 0.0;
  });
}

std::string rouge_signature_of(const EvaluationOptions& /*options*/) {
  return std::string(rouge_signature);
}

std::string answer_signature_of(const EvaluationOptions& /*options*/) {
  return std::string(answer_signature);
}

}  // namespace tapehead
