// A metric: how it is computed from sums over the examples of a test, its name, and how it is
// written. To add one, write a module that defines a MetricKind, and add a row to metrics.hpp. Here
// are those of predictions that are given the correct earlier tokens (loss, perplexity, token
// accuracy, bits per byte, perplexity by word), and the share of sequences that are generated
// correctly.
#pragma once

#include "datasets/layout.hpp"

namespace tapehead {

struct EvaluationOptions;

// The result of a model on one example, or (except for the texts) on several together.
struct ExampleScore {
  double negative_log_likelihood = 0;  // of the target's tokens, in nats
  Index tokens = 0;                    // of the target, the end mark included
  Index correct = 0;                   // of them, predicted with correct tokens before
  std::string output;                  // as generated; of a labelled example the predicted class
  std::string reference;
  bool right = false;  // exactly, by right_sequences()
  double bytes = 0;    // of running text: what its share of the split's bytes and words is
  double words = 0;
};

using ExampleScores = std::span<const ExampleScore>;

constexpr Index one_example(const ExampleScore&) { return 1; }

// Summands of a mean: of each example a part, and the whole that it is a part of, or the example.
template <auto part, auto whole = one_example>
std::vector<double> mean_summands(ExampleScores examples, const EvaluationOptions&) {
  std::vector<double> rows;
  rows.reserve(2 * examples.size());
  for (const ExampleScore& example : examples) {
    rows.push_back(static_cast<double>(std::invoke(part, example)));
    rows.push_back(static_cast<double>(std::invoke(whole, example)));
  }
  return rows;
}

// How an output compares with its reference.
template <auto compare>
double compared(const ExampleScore& example) {
  return compare(example.output, example.reference);
}

// The values of many metrics: sums[0] / sums[1], e to the power of it, and bits for its nats.
double mean_of(std::span<const double> sums);
double perplexity_of(std::span<const double> sums);
double bits_of(std::span<const double> sums);

struct MetricKind {
  std::string_view name;             // in configs and JSON: "bleu"
  std::string_view words = name;     // in text: "BLEU"
  std::string_view heading = words;  // of a column
  bool percent = false;              // a share, written in per cent
  int decimals = 2;
  bool lower_is_better = false;
  bool Measurable::* of = nullptr;  // what it measures; null: the loss of every task
  // Lines and tables have it only if one of its kind chooses the best checkpoint (JSON and pages
  // always have it).
  bool further = false;
  // For each example the same number of summands, one example after the other. They are added up
  // over the examples.
  std::vector<double> (*summands)(ExampleScores, const EvaluationOptions&);
  double (*value)(std::span<const double> sums) = mean_of;
  // Describes how texts were compared; null: no description is needed.
  std::string (*signature)(const EvaluationOptions&) = nullptr;
};

constexpr bool is_measured(const MetricKind& kind, ExampleKind examples) {
  return kind.of == nullptr || measurable(examples).*kind.of;
}

// Whether it needs what a model writes token by token, which takes longer than the loss.
constexpr bool needs_outputs(const MetricKind& kind) {
  return kind.of == &Measurable::outputs || kind.of == &Measurable::words ||
         kind.of == &Measurable::tags;
}

// "99.80 %", "38.42": without the metric's name.
std::string metric_text(const MetricKind& kind, double value);

// The metric of all the examples together; 0 if there are none.
double measure(const MetricKind& kind, ExampleScores examples, const EvaluationOptions& options);

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
