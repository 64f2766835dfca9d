#include "train/metrics/overlap_metrics.hpp"

#include "train/metrics/evaluation_options.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead {

namespace {

constexpr std::string_view sacrebleu_version = "2.6.0";  // its figures equal ours
constexpr std::size_t characters_together = 6;           // in the longest n-gram of chrF
constexpr std::size_t parts = 3;                         // counts for each order

std::u32string text_of(std::string_view sentence, const EvaluationOptions& options) {
  return options.lowercase ? lower_case(decode_utf8(sentence)) : decode_utf8(sentence);
}

std::vector<std::uint32_t> tokens_of(std::u32string text, BleuTokenizer tokenizer,
                                     WordNumbers& words) {
  while (!text.empty() && is_space(text.back())) {
    text.pop_back();
  }
  std::vector<std::uint32_t> tokens;
  for_each_word(tokenize(std::move(text), tokenizer),
                [&](std::u32string_view word) { tokens.push_back(words.number(word)); });
  return tokens;
}

std::vector<std::uint32_t> characters_of(std::u32string_view text) {
  std::vector<std::uint32_t> characters;
  characters.reserve(text.size());
  for_each_word(text, [&](std::u32string_view word) {
    characters.insert(characters.end(), word.begin(), word.end());
  });
  return characters;
}

// The n-gram counts of each example, order after order. `to_units` splits a text into units.
std::vector<double> ngram_summands(ExampleScores examples, std::size_t longest,
                                   const auto& to_units) {
  NgramMatcher matcher;
  std::vector<NgramCounts> orders(longest);
  std::vector<double> rows;
  rows.reserve(parts * longest * examples.size());
  for (const ExampleScore& example : examples) {
    const std::vector<std::uint32_t> hypothesis = to_units(example.output);
    const std::vector<std::uint32_t> reference = to_units(example.reference);
    matcher.match(hypothesis, reference, orders);
    for (const NgramCounts& counts : orders) {
      for (const Index count : {counts.hypothesis, counts.reference, counts.matches}) {
        rows.push_back(static_cast<double>(count));
      }
    }
  }
  return rows;
}

// 100 matches / count for each order. The k-th order without a match has 100 / (2^k count) instead
// (Chen and Cherry 2014, smoothing 3).
std::array<double, 4> smoothed_precisions(std::span<const double> sums) {
  std::array<double, 4> precisions{};
  double smoothing = 1;
  for (std::size_t n = 0; n < precisions.size() && sums[parts * n] > 0; ++n) {
    const double total = sums[parts * n];
    const double matches = sums[parts * n + 2];
    if (matches > 0) {
      precisions[n] = 100.0 * matches / total;
    } else {
      smoothing *= 2;
      precisions[n] = 100.0 / (smoothing * total);
    }
  }
  return precisions;
}

std::string_view case_of(const EvaluationOptions& options) {
  return options.lowercase ? "lc" : "mixed";
}

// string.punctuation.
bool is_ascii_punctuation(char32_t c) {
  return (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') ||
         (c >= U'{' && c <= U'~');
}

// re.sub(r"\b(a|an|the)\b", " ", text): a boundary is where word characters begin or end, so an
// article next to a dash is removed too.
std::u32string without_articles(std::u32string_view text) {
  constexpr std::array<std::u32string_view, 3> articles{U"a", U"an", U"the"};
  std::u32string rest;
  for (std::size_t i = 0; i < text.size();) {
    const auto end = std::ranges::find_if_not(text.substr(i), is_word_character);
    const auto length = static_cast<std::size_t>(end - text.substr(i).begin());
    const std::u32string_view word = text.substr(i, length);
    rest += std::ranges::count(articles, word) > 0 ? U" " : word;
    i += length;
    if (i < text.size()) {
      rest += text[i++];
    }
  }
  return rest;
}

// The number of words of a longest common subsequence. L(i, j) is this number for the first i words
// of `one` and the first j of `other`: L(i-1, j-1) + 1 if words i and j are equal, else max(L(i-1,
// j), L(i, j-1)). Only one row of L is kept.
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

std::vector<double> bleu_summands(ExampleScores examples, const EvaluationOptions& options) {
  WordNumbers words;
  return ngram_summands(examples, BleuScore().precisions.size(), [&](std::string_view sentence) {
    return tokens_of(text_of(sentence, options), options.bleu_tokenizer, words);
  });
}

// The brevity penalty is exp(1 - reference / hypothesis) if the corpus is shorter than its
// reference; 0 if it is empty.
BleuScore bleu_of(std::span<const double> sums) {
  const double hypothesis = sums[0];
  const double reference = sums[1];
  BleuScore bleu{
      .brevity_penalty = hypothesis >= reference ? 1 : std::exp(1 - reference / hypothesis),
      .hypothesis_length = std::llround(hypothesis),
      .reference_length = std::llround(reference)};
  if (sums[2] > 0) {
    bleu.precisions = smoothed_precisions(sums);
    double logarithms = 0;
    for (const double precision : bleu.precisions) {
      logarithms += std::log(precision);  // log 0 = -inf makes the geometric mean 0
    }
    bleu.score =
        bleu.brevity_penalty * std::exp(logarithms / static_cast<double>(bleu.precisions.size()));
  }
  return bleu;
}

std::string bleu_signature(const EvaluationOptions& options) {
  return fmt::format("nrefs:1|case:{}|eff:no|tok:{}|smooth:exp|version:{}", case_of(options),
                     name_of(options.bleu_tokenizer), sacrebleu_version);
}

std::vector<double> chrf_summands(ExampleScores examples, const EvaluationOptions& options) {
  std::vector<double> rows = ngram_summands(
      examples, characters_together,
      [&](std::string_view sentence) { return characters_of(text_of(sentence, options)); });
  for (std::size_t i = 0; i < rows.size(); i += parts) {
    rows[i] = rows[i + 1] > 0 ? rows[i] : 0;
  }
  return rows;
}

// F = (1 + β²) P R / (β² P + R), where P and R are means over the orders that both texts have.
double chrf_of(std::span<const double> sums) {
  constexpr double beta_squared = 4;
  double precision = 0;
  double recall = 0;
  double effective_orders = 0;
  for (std::size_t i = 0; i < sums.size(); i += parts) {
    if (sums[i] > 0 && sums[i + 1] > 0) {
      precision += sums[i + 2] / sums[i];
      recall += sums[i + 2] / sums[i + 1];
      ++effective_orders;
    }
  }
  if (precision + recall == 0) {
    return 0;
  }
  precision /= effective_orders;
  recall /= effective_orders;
  return 100 * ((1 + beta_squared) * precision * recall / (beta_squared * precision + recall));
}

std::string chrf_signature(const EvaluationOptions& options) {
  return fmt::format("nrefs:1|case:{}|eff:yes|nc:{}|nw:0|space:no|version:{}", case_of(options),
                     characters_together, sacrebleu_version);
}

std::vector<std::string> rouge_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char32_t c : lower_case(decode_utf8(text))) {
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
  std::u32string text = lower_case(decode_utf8(answer));
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
