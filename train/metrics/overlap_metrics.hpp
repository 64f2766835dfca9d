// ROUGE-L, token F1 and exact match as metrics of generated outputs: means over
// the examples.
#pragma once

#include "train/metrics/metric_kind.hpp"

namespace tapehead {

std::vector<double> rouge_l_summands(std::span<const ExampleScore> examples,
                                     const EvaluationOptions& options);
std::vector<double> token_f1_summands(std::span<const ExampleScore> examples,
                                      const EvaluationOptions& options);
std::vector<double> exact_match_summands(std::span<const ExampleScore> examples,
                                         const EvaluationOptions& options);
std::string rouge_signature_of(const EvaluationOptions& options);
std::string answer_signature_of(const EvaluationOptions& options);

inline constexpr MetricKind rouge_l_metric{.name = "rouge_l",
                                           .words = "ROUGE-L",
                                           .heading = "ROUGE-L",
                                           .decimals = 4,
                                           .of_outputs = true,
                                           .further = true,
                                           .summands = rouge_l_summands,
                                           .value = mean_of,
                                           .signature = rouge_signature_of};
inline constexpr MetricKind token_f1_metric{.name = "token_f1",
                                            .words = "token F1",
                                            .heading = "token F1",
                                            .percent = true,
                                            .of_outputs = true,
                                            .further = true,
                                            .summands = token_f1_summands,
                                            .value = mean_of,
                                            .signature = answer_signature_of};
inline constexpr MetricKind exact_match_metric{.name = "exact_match",
                                               .words = "exact match",
                                               .heading = "exact match",
                                               .percent = true,
                                               .of_outputs = true,
                                               .further = true,
                                               .summands = exact_match_summands,
                                               .value = mean_of,
                                               .signature = answer_signature_of};

}  // namespace tapehead
