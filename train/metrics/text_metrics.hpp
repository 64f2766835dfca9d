// Metrics of running text that do not depend on the tokenizer: the loss of all its tokens, divided
// by its bytes or its words.
#pragma once

#include "train/metrics/metric_kind.hpp"

namespace tapehead {

std::vector<double> byte_summands(std::span<const ExampleScore> examples,
                                  const EvaluationOptions& options);
std::vector<double> word_summands(std::span<const ExampleScore> examples,
                                  const EvaluationOptions& options);
double bits_per_byte_of(std::span<const double> sums);    // sums[0] / sums[1], from nats to bits
double word_perplexity_of(std::span<const double> sums);  // e to the power of sums[0] / sums[1]

inline constexpr MetricKind bits_per_byte_metric{.name = "bits_per_byte",
                                                 .words = "bits per byte",
                                                 .heading = "bits per byte",
                                                 .decimals = 4,
                                                 .lower_is_better = true,
                                                 .of_text = true,
                                                 .summands = byte_summands,
                                                 .value = bits_per_byte_of};
// Words are separated by white space.
inline constexpr MetricKind word_perplexity_metric{.name = "word_perplexity",
                                                   .words = "perplexity by word",
                                                   .heading = "by word",
                                                   .decimals = 2,
                                                   .lower_is_better = true,
                                                   .of_text = true,
                                                   .summands = word_summands,
                                                   .value = word_perplexity_of};

}  // namespace tapehead
