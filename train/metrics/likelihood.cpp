#include "train/metrics/likelihood.hpp"

#include <cmath>
#include <numbers>

namespace tapehead {

std::vector<double> likelihood_summands(ExampleScores examples, const EvaluationOptions&) {
  return mean_summands(examples, &ExampleScore::negative_log_likelihood, &ExampleScore::tokens);
}

std::vector<double> token_summands(ExampleScores examples, const EvaluationOptions&) {
  return mean_summands(examples, &ExampleScore::correct, &ExampleScore::tokens);
}

std::vector<double> sequence_summands(ExampleScores examples, const EvaluationOptions&) {
  return mean_summands(examples, &ExampleScore::right);
}

std::vector<double> byte_summands(ExampleScores examples, const EvaluationOptions&) {
  return mean_summands(examples, &ExampleScore::negative_log_likelihood, &ExampleScore::bytes);
}

std::vector<double> word_summands(ExampleScores examples, const EvaluationOptions&) {
  return mean_summands(examples, &ExampleScore::negative_log_likelihood, &ExampleScore::words);
}

double perplexity_of(std::span<const double> sums) { return std::exp(mean_of(sums)); }

double bits_per_byte_of(std::span<const double> sums) { return mean_of(sums) / std::numbers::ln2; }

}  // namespace tapehead
