#include "train/metrics/bleu.hpp"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "train/metrics/code_points.hpp"

namespace tapehead {

namespace {

// The numbers of a sentence's tokens.
std::vector<std::uint32_t> tokens_of(std::string_view sentence, const BleuOptions& options,
                                     WordNumbers& words) {
  std::u32string text = decode_utf8(sentence);
  if (options.lowercase) {
    make_lower_case(text);
  }
  while (!text.empty() && is_space(text.back())) {
    text.pop_back();
  }
  std::vector<std::uint32_t> tokens;
  for_each_word(tokenize(std::move(text), options.tokenizer),
                [&](std::u32string_view word) { tokens.push_back(words.number(word)); });
  return tokens;
}

// 100 matches / count. For an order without a match it is 100 / (2^k count), if this is the k-th
// such order (Chen and Cherry 2014, smoothing 3).
std::array<double, 4> smoothed_precisions(const BleuCounts& counts) {
  std::array<double, 4> precisions{};
  double smoothing = 1;
  for (std::size_t n = 0; n < counts.size() && counts[n].hypothesis > 0; ++n) {
    const auto total = static_cast<double>(counts[n].hypothesis);
    if (counts[n].matches > 0) {
      precisions[n] = 100.0 * static_cast<double>(counts[n].matches) / total;
    } else {
      smoothing *= 2;
      precisions[n] = 100.0 / (smoothing * total);
    }
  }
  return precisions;
}

// exp(1 - reference / hypothesis) if the corpus is shorter than its reference; 0 if it is empty.
double brevity_penalty(Index hypothesis, Index reference) {
  return hypothesis >= reference
             ? 1
             : std::exp(1 - static_cast<double>(reference) / static_cast<double>(hypothesis));
}

double geometric_mean(const std::array<double, 4>& precisions) {
  double logarithms = 0;
  for (const double precision : precisions) {
    logarithms += std::log(precision);  // log 0 = -inf makes the mean 0
  }
  return std::exp(logarithms / static_cast<double>(precisions.size()));
}

std::string signature_of(const BleuOptions& options) {
  return fmt::format("nrefs:1|case:{}|eff:no|tok:{}|smooth:exp|version:{}",
                     options.lowercase ? "lc" : "mixed",
                     EnumNames<BleuTokenizer>::names[static_cast<std::size_t>(options.tokenizer)],
                     sacrebleu_version);
}

}  // namespace

std::vector<BleuCounts> bleu_counts(Sentences hypotheses, Sentences references,
                                    const BleuOptions& options) {
  expect_pairs(hypotheses, references, "corpus_bleu");
  WordNumbers words;
  NgramMatcher matcher;
  std::vector<BleuCounts> counts(hypotheses.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::vector<std::uint32_t> hypothesis = tokens_of(hypotheses[i], options, words);
    const std::vector<std::uint32_t> reference = tokens_of(references[i], options, words);
    matcher.match(hypothesis, reference, counts[i]);
  }
  return counts;
}

BleuScore bleu_of(const BleuCounts& sums, const BleuOptions& options) {
  BleuScore bleu{.signature = signature_of(options)};
  bleu.hypothesis_length = sums[0].hypothesis;
  bleu.reference_length = sums[0].reference;
  bleu.brevity_penalty = brevity_penalty(bleu.hypothesis_length, bleu.reference_length);
  if (sums[0].matches > 0) {
    bleu.precisions = smoothed_precisions(sums);
    bleu.score = bleu.brevity_penalty * geometric_mean(bleu.precisions);
  }
  return bleu;
}

BleuScore corpus_bleu(Sentences hypotheses, Sentences references, const BleuOptions& options) {
  BleuCounts sums;
  for (const BleuCounts& counts : bleu_counts(hypotheses, references, options)) {
    for (std::size_t n = 0; n < sums.size(); ++n) {
      sums[n] += counts[n];
    }
  }
  return bleu_of(sums, options);
}

}  // namespace tapehead
