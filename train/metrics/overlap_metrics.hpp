// Metrics of the overlap of outputs with references. BLEU (Papineni et al. 2002) and chrF (Popović
// 2015) compare n-grams and equal the figures of sacreBLEU (Post 2018). ROUGE-L (Lin 2004) equals
// the figures of the Python package rouge-score. Token F1 and exact match compare answers like the
// evaluation script of SQuAD 2.0 (Rajpurkar et al. 2016, 2018). The last three are means over
// examples.
#pragma once

#include "train/metrics/metric_kind.hpp"

namespace tapehead {

struct BleuScore {
  double score = 0;                    // 0 ... 100
  std::array<double, 4> precisions{};  // percent, of n-grams of 1 to 4 words, after smoothing
  double brevity_penalty = 0;
  Index hypothesis_length = 0;  // tokens of the corpus
  Index reference_length = 0;
};

// BLEU from the sums of bleu_summands(): n-grams of 1 to 4 words, smoothing `exp`, no effective
// order. A corpus without a matching word has score 0.
BleuScore bleu_of(std::span<const double> sums);

// The F score of n-grams of 1 to 6 characters without white space, where recall counts twice as
// much as precision (β = 2), 0 ... 100. If a reference is too short for an order, the hypothesis'
// n-grams of this order do not count, so that they do not reduce precision.
double chrf_of(std::span<const double> sums);

std::vector<double> bleu_summands(ExampleScores examples, const EvaluationOptions& options);
std::vector<double> chrf_summands(ExampleScores examples, const EvaluationOptions& options);

// The signatures that sacreBLEU prints with the same scores.
std::string bleu_signature(const EvaluationOptions& options);
std::string chrf_signature(const EvaluationOptions& options);

inline constexpr MetricKind bleu_metric{.name = "bleu",
                                        .words = "BLEU",
                                        .of = &Measurable::words,
                                        .summands = bleu_summands,
                                        .value = [](auto sums) { return bleu_of(sums).score; },
                                        .signature = bleu_signature};
inline constexpr MetricKind chrf_metric{.name = "chrf",
                                        .words = "chrF",
                                        .of = &Measurable::words,
                                        .summands = chrf_summands,
                                        .value = chrf_of,
                                        .signature = chrf_signature};

// The words of a text as rouge-score's default tokenizer finds them without a stemmer: after
// str.lower(), the runs of a-z and 0-9. All other characters separate words, so "naïve" gives "na"
// and "ve", and text in other scripts has no words.
std::vector<std::string> rouge_words(std::string_view text);

// The F1 of the longest common subsequence: words that both texts have in the same order, perhaps
// with other words between them. If L words are common, precision is L / words of the hypothesis,
// recall is L / words of the reference, and F1, from 0 to 1, is their harmonic mean.
double rouge_l(std::string_view hypothesis, std::string_view reference);

// The words of an answer, split at white space: after str.lower(), without ASCII punctuation and
// without the words a, an and the.
std::vector<std::u32string> answer_words(std::string_view answer);

// Whether both texts have the same answer_words().
bool exact_match(std::string_view answer, std::string_view reference);

// The harmonic mean of precision and recall of the answer's words as a multiset: 2 C / (words of
// both texts) for C words in common. If a text has no words, the result is 1 if the other text has
// no words, otherwise 0.
double token_f1(std::string_view answer, std::string_view reference);

std::string rouge_signature(const EvaluationOptions& options);
std::string answer_signature(const EvaluationOptions& options);

inline constexpr MetricKind rouge_l_metric{.name = "rouge_l",
                                           .words = "ROUGE-L",
                                           .decimals = 4,
                                           .of = &Measurable::words,
                                           .further = true,
                                           .summands = mean_summands<compared<rouge_l>>,
                                           .signature = rouge_signature};
inline constexpr MetricKind token_f1_metric{.name = "token_f1",
                                            .words = "token F1",
                                            .percent = true,
                                            .of = &Measurable::words,
                                            .further = true,
                                            .summands = mean_summands<compared<token_f1>>,
                                            .signature = answer_signature};
inline constexpr MetricKind exact_match_metric{.name = "exact_match",
                                               .words = "exact match",
                                               .percent = true,
                                               .of = &Measurable::words,
                                               .further = true,
                                               .summands = mean_summands<compared<exact_match>>,
                                               .signature = answer_signature};

}  // namespace tapehead
