// The description of a metric: its names, how it is written, and how it is computed from sums over
// the examples of a test. To add one, write a module that defines a MetricKind, and add a row to
// metrics.hpp. This module has the metrics of tokens that are predicted from correct earlier tokens
// (loss, perplexity, token accuracy, bits per byte, perplexity by word), and sequence accuracy.
#pragma once

#include "datasets/layout.hpp"

namespace tapehead {

struct EvaluationOptions;

// The result of a model on one example, or (except for the texts) on several together.
struct ExampleScore {
  double negative_log_likelihood = 0;  // of the target's tokens, in nats
  Index tokens = 0;                    // of the target, the end mark included
  Index correct = 0;                   // tokens predicted right from correct earlier tokens
  std::string output{};                // as generated, or the predicted class
  std::string reference{};
  bool right = false;  // whether the output is right, by compared_outputs()
  double bytes = 0;    // of the running text that the tokens stand for; `words` likewise
  double words = 0;
};

using ExampleScores = std::span<const ExampleScore>;

constexpr Index one_example(const ExampleScore&) { return 1; }

// Summands of a mean, two for each example: `part`, and `whole` or 1.
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

// compare(output, reference) of an example.
template <auto compare>
double compared(const ExampleScore& example) {
  return compare(example.output, example.reference);
}

// Values of many metrics: the mean m = sums[0] / sums[1], exp(m), and m nats in bits.
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
  // Lines and tables show a further metric only if a further metric chooses the best checkpoint.
  // JSON and pages always have it.
  bool further = false;
  // Returns the same number of summands for each example, one example after the other. Each summand
  // is added up over the examples.
  std::vector<double> (*summands)(ExampleScores, const EvaluationOptions&);
  double (*value)(std::span<const double> sums) = mean_of;
  // Describes how texts were compared; null: no description is needed.
  std::string (*signature)(const EvaluationOptions&) = nullptr;
};

constexpr bool is_measured(const MetricKind& kind, ExampleKind examples) {
  return kind.of == nullptr || measurable(examples).*kind.of;
}

// Whether the metric needs a model's outputs, which take longer to compute than the loss.
constexpr bool needs_outputs(const MetricKind& kind) {
  return kind.of == &Measurable::outputs || kind.of == &Measurable::words ||
         kind.of == &Measurable::tags;
}

// "99.80 %", "38.42": without the metric's name.
std::string metric_text(const MetricKind& kind, double value);

// The metric of all examples together; 0 without examples.
double measure(const MetricKind& kind, ExampleScores examples, const EvaluationOptions& options);

// In nats per token, or per example of a class.
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
