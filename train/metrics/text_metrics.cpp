#include "train/metrics/text_metrics.hpp"

#include <cmath>
#include <numbers>

namespace tapehead {

namespace {

std::vector<double> loss_over(std::span<const ExampleScore> examples,
                              double ExampleScore::* amount) {
  std::vector<double> rows;
  for (const ExampleScore& example : examples) {
    rows.insert(rows.end(), {example.negative_log_likelihood, example.*amount});
  }
  return rows;
}

}  // namespace

std::vector<double> byte_summands(std::span<const ExampleScore> examples,
                                  const EvaluationOptions& /*options*/) {
  return loss_over(examples, &ExampleScore::bytes);
}

std::vector<double> word_summands(std::span<const ExampleScore> examples,
                                  const EvaluationOptions& /*options*/) {
  return loss_over(examples, &ExampleScore::words);
}

double bits_per_byte_of(std::span<const double> sums) {
  return sums[0] / sums[1] / std::numbers::ln2;
}
double word_perplexity_of(std::span<const double> sums) { return std::exp(sums[0] / sums[1]); }

}  // namespace tapehead
