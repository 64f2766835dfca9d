// Metrics of the overlap of outputs with references: BLEU (Papineni et al. 2002) and chrF (Popović
// 2015), which go by n-grams, with exactly the figures of sacreBLEU (Post 2018); ROUGE-L (Lin
// 2004), with exactly the figures of the Python package rouge-score; token F1 and exact match of
// answers to questions, as the evaluation script of SQuAD 2.0 compares them (Rajpurkar et al. 2016,
// 2018). The last three are means over the examples.
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

// Of sums of bleu_summands(), the counts of 1 to 4 words; smoothing `exp`, no effective order. A
// corpus without a match has score 0.
BleuScore bleu_of(std::span<const double> sums);

// The F score of n-grams of 1 to 6 characters without white space, where recall counts twice as
// much as precision (β = 2), 0 ... 100. An order that a reference does not have counts as 0, so
// that it does not reduce precision.
double chrf_of(std::span<const double> sums);

std::vector<double> bleu_summands(ExampleScores examples, const EvaluationOptions& options);
std::vector<double> chrf_summands(ExampleScores examples, const EvaluationOptions& options);
double bleu_score_of(std::span<const double> sums);

// As sacreBLEU prints them with the same scores.
std::string bleu_signature(const EvaluationOptions& options);
std::string chrf_signature(const EvaluationOptions& options);

inline constexpr MetricKind bleu_metric{.name = "bleu",
                                        .words = "BLEU",
                                        .of = &Measurable::words,
                                        .summands = bleu_summands,
                                        .value = bleu_score_of,
                                        .signature = bleu_signature};
inline constexpr MetricKind chrf_metric{.name = "chrf",
                                        .words = "chrF",
                                        .of = &Measurable::words,
                                        .summands = chrf_summands,
                                        .value = chrf_of,
                                        .signature = chrf_signature};

// The words of a text, as the package's default tokenizer finds them without a stemmer: after
// str.lower(), the runs of a-z and 0-9. All else separates words, so "naïve" is "na" and "ve", and
// text in other scripts has none.
std::vector<std::string> rouge_words(std::string_view text);

// The F1 of the longest common subsequence (words of both texts in the same order, perhaps with
// others between them), 0 ... 1: with L words of it, precision is L over the words of the
// hypothesis, recall L over those of the reference, and F1 their harmonic mean.
double rouge_l(std::string_view hypothesis, std::string_view reference);

// The words of an answer between white space, after str.lower(), without the punctuation of ASCII
// and without the words a, an and the.
std::vector<std::u32string> answer_words(std::string_view answer);

// Whether the words are the same, in the same order.
bool exact_match(std::string_view answer, std::string_view reference);

// The harmonic mean of precision and recall of the answer's words as a bag: with C words in common,
// each as often as in both, 2 C over the number of words of the two. If one has no words, it is 1
// if the other has none either.
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
