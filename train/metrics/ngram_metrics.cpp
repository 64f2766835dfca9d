#include "train/metrics/ngram_metrics.hpp"

#include "train/metrics/code_points.hpp"
#include "train/metrics/evaluation_options.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead {

namespace {

constexpr std::string_view sacrebleu_version = "2.6.0";  // whose figures these are
constexpr std::size_t characters_together = 6;           // in the longest n-gram of chrF
constexpr std::size_t parts = 3;                         // counts for each order

std::u32string text_of(std::string_view sentence, const EvaluationOptions& options) {
  std::u32string text = decode_utf8(sentence);
  if (options.lowercase) {
    make_lower_case(text);
  }
  return text;
}

// The numbers of a sentence's tokens.
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

// Of each example the counts of n-grams of the units that `to_units` makes of a text, one order
// after the other.
template <class UnitsOf>
std::vector<double> ngram_summands(ExampleScores examples, std::size_t longest,
                                   const UnitsOf& to_units) {
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

// 100 matches / count. For an order without a match it is 100 / (2^k count), if this is the k-th
// such order (Chen and Cherry 2014, smoothing 3).
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

double geometric_mean(const std::array<double, 4>& precisions) {
  double logarithms = 0;
  for (const double precision : precisions) {
    logarithms += std::log(precision);  // log 0 = -inf makes the mean 0
  }
  return std::exp(logarithms / static_cast<double>(precisions.size()));
}

std::string_view case_of(const EvaluationOptions& options) {
  return options.lowercase ? "lc" : "mixed";
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
    bleu.score = bleu.brevity_penalty * geometric_mean(bleu.precisions);
  }
  return bleu;
}

double bleu_score_of(std::span<const double> sums) { return bleu_of(sums).score; }

std::string bleu_signature(const EvaluationOptions& options) {
  const auto tokenizer = static_cast<std::size_t>(options.bleu_tokenizer);
  return fmt::format("nrefs:1|case:{}|eff:no|tok:{}|smooth:exp|version:{}", case_of(options),
                     EnumNames<BleuTokenizer>::names[tokenizer], sacrebleu_version);
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

// F = (1 + β²) P R / (β² P + R), where P and R are means over the orders that both sides have.
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

}  // namespace tapehead
