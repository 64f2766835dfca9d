// Metrics of predictions that are given the correct earlier tokens: loss, perplexity, token
// accuracy, bits per byte, perplexity by word. Also the share of sequences that are generated
// correctly.
#pragma once

#include "train/metrics/metric_kind.hpp"

namespace tapehead {

std::vector<double> likelihood_summands(ExampleScores examples, const EvaluationOptions& options);
std::vector<double> token_summands(ExampleScores examples, const EvaluationOptions& options);
std::vector<double> sequence_summands(ExampleScores examples, const EvaluationOptions& options);
double perplexity_of(std::span<const double> sums);  // e to the power of sums[0] / sums[1]

// In nats per token; of labels in nats per example.
inline constexpr MetricKind loss_metric{
    .name = "loss", .decimals = 4, .lower_is_better = true, .summands = likelihood_summands};
inline constexpr MetricKind perplexity_metric{.name = "perplexity",
                                              .decimals = 3,
                                              .lower_is_better = true,
                                              .of = &Measurable::tokens,
                                              .summands = likelihood_summands,
                                              .value = perplexity_of};
inline constexpr MetricKind token_accuracy_metric{.name = "token_accuracy",
                                                  .words = "token accuracy",
                                                  .heading = "tokens right",
                                                  .percent = true,
                                                  .of = &Measurable::tokens,
                                                  .summands = token_summands};
inline constexpr MetricKind sequence_accuracy_metric{.name = "sequence_accuracy",
                                                     .words = "sequence accuracy",
                                                     .heading = "sequences right",
                                                     .percent = true,
                                                     .of = &Measurable::outputs,
                                                     .summands = sequence_summands};

// Metrics of running text that do not depend on the tokenizer: the loss of all its tokens, divided
// by its bytes or its words.
std::vector<double> byte_summands(ExampleScores examples, const EvaluationOptions& options);
std::vector<double> word_summands(ExampleScores examples, const EvaluationOptions& options);
double bits_per_byte_of(std::span<const double> sums);  // sums[0] / sums[1], from nats to bits

inline constexpr MetricKind bits_per_byte_metric{.name = "bits_per_byte",
                                                 .words = "bits per byte",
                                                 .decimals = 4,
                                                 .lower_is_better = true,
                                                 .of = &Measurable::text,
                                                 .summands = byte_summands,
                                                 .value = bits_per_byte_of};
// Words are separated by white space.
inline constexpr MetricKind word_perplexity_metric{.name = "word_perplexity",
                                                   .words = "perplexity by word",
                                                   .heading = "by word",
                                                   .lower_is_better = true,
                                                   .of = &Measurable::text,
                                                   .summands = word_summands,
                                                   .value = perplexity_of};

}  // namespace tapehead
