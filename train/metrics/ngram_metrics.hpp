// BLEU (Papineni et al. 2002) and chrF (Popović 2015) of generated outputs, with exactly the
// figures of sacreBLEU (Post 2018). Both go by the n-grams that outputs share with references.
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

}  // namespace tapehead
