// BLEU and chrF as metrics of generated outputs.
#pragma once

#include "train/metrics/metric_kind.hpp"

namespace tapehead {

// Counts of n-grams, three for each order.
std::vector<double> bleu_summands(ExampleScores examples, const EvaluationOptions& options);
std::vector<double> chrf_summands(ExampleScores examples, const EvaluationOptions& options);
double bleu_of_sums(std::span<const double> sums);
double chrf_of_sums(std::span<const double> sums);
std::string bleu_signature(const EvaluationOptions& options);
std::string chrf_signature(const EvaluationOptions& options);

inline constexpr MetricKind bleu_metric{.name = "bleu",
                                        .words = "BLEU",
                                        .of = &Measurable::words,
                                        .summands = bleu_summands,
                                        .value = bleu_of_sums,
                                        .signature = bleu_signature};
inline constexpr MetricKind chrf_metric{.name = "chrf",
                                        .words = "chrF",
                                        .of = &Measurable::words,
                                        .summands = chrf_summands,
                                        .value = chrf_of_sums,
                                        .signature = chrf_signature};

}  // namespace tapehead
