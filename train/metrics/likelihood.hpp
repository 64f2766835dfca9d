// Metrics of predictions that are given the correct earlier tokens: loss, perplexity, token
// accuracy. Also the share of sequences that are generated correctly.
#pragma once

#include "train/metrics/metric_kind.hpp"

namespace tapehead {

std::vector<double> likelihood_summands(std::span<const ExampleScore> examples,
                                        const EvaluationOptions& options);
std::vector<double> token_summands(std::span<const ExampleScore> examples,
                                   const EvaluationOptions& options);
std::vector<double> sequence_summands(std::span<const ExampleScore> examples,
                                      const EvaluationOptions& options);
double perplexity_of(std::span<const double> sums);  // e to the power of the mean

// In nats per token; of labels in nats per example.
inline constexpr MetricKind loss_metric{.name = "loss",
                                        .words = "loss",
                                        .heading = "loss",
                                        .decimals = 4,
                                        .lower_is_better = true,
                                        .summands = likelihood_summands,
                                        .value = mean_of};
inline constexpr MetricKind perplexity_metric{.name = "perplexity",
                                              .words = "perplexity",
                                              .heading = "perplexity",
                                              .decimals = 3,
                                              .lower_is_better = true,
                                              .of_tokens = true,
                                              .summands = likelihood_summands,
                                              .value = perplexity_of};
inline constexpr MetricKind token_accuracy_metric{.name = "token_accuracy",
                                                  .words = "token accuracy",
                                                  .heading = "tokens right",
                                                  .percent = true,
                                                  .of_tokens = true,
                                                  .summands = token_summands,
                                                  .value = mean_of};
inline constexpr MetricKind sequence_accuracy_metric{.name = "sequence_accuracy",
                                                     .words = "sequence accuracy",
                                                     .heading = "sequences right",
                                                     .percent = true,
                                                     .of_outputs = true,
                                                     .summands = sequence_summands,
                                                     .value = mean_of};

}  // namespace tapehead
