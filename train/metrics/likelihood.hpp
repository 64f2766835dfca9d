// Metrics of predictions that are given the correct earlier tokens: loss, perplexity, token
// accuracy, bits per byte, perplexity by word. Also the share of sequences that are generated
// correctly.
#pragma once

#include "train/metrics/metric_kind.hpp"

namespace tapehead {

// In nats per token; of labels in nats per example.
inline constexpr MetricKind loss_metric{
    .name = "loss",
    .decimals = 4,
    .lower_is_better = true,
    .summands = mean_summands<&ExampleScore::negative_log_likelihood, &ExampleScore::tokens>};
inline constexpr MetricKind perplexity_metric{
    .name = "perplexity",
    .decimals = 3,
    .lower_is_better = true,
    .of = &Measurable::tokens,
    .summands = mean_summands<&ExampleScore::negative_log_likelihood, &ExampleScore::tokens>,
    .value = perplexity_of};
inline constexpr MetricKind token_accuracy_metric{
    .name = "token_accuracy",
    .words = "token accuracy",
    .heading = "tokens right",
    .percent = true,
    .of = &Measurable::tokens,
    .summands = mean_summands<&ExampleScore::correct, &ExampleScore::tokens>};
inline constexpr MetricKind sequence_accuracy_metric{
    .name = "sequence_accuracy",
    .words = "sequence accuracy",
    .heading = "sequences right",
    .percent = true,
    .of = &Measurable::outputs,
    .summands = mean_summands<&ExampleScore::right>};

// Metrics of running text that do not depend on the tokenizer: the loss of all its tokens, divided
// by its bytes or its words.
inline constexpr MetricKind bits_per_byte_metric{
    .name = "bits_per_byte",
    .words = "bits per byte",
    .decimals = 4,
    .lower_is_better = true,
    .of = &Measurable::text,
    .summands = mean_summands<&ExampleScore::negative_log_likelihood, &ExampleScore::bytes>,
    .value = bits_of};
// Words are separated by white space.
inline constexpr MetricKind word_perplexity_metric{
    .name = "word_perplexity",
    .words = "perplexity by word",
    .heading = "by word",
    .lower_is_better = true,
    .of = &Measurable::text,
    .summands = mean_summands<&ExampleScore::negative_log_likelihood, &ExampleScore::words>,
    .value = perplexity_of};

}  // namespace tapehead
