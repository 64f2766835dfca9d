#include "train/metrics/likelihood.hpp"

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

namespace {

template <class Part>
std::vector<double> with_counts(std::span<const ExampleScore> examples, const Part& part) {
  std::vector<double> rows;
  for (const ExampleScore& example : examples) {
    const auto [summand, count] = part(example);
    rows.insert(rows.end(), {summand, count});
  }
  return rows;
}

struct Counted {
  double summand;
  double count;
};

}  // namespace

std::vector<double> likelihood_summands(std::span<const ExampleScore> examples,
                                        const EvaluationOptions& /*options*/) {
  return with_counts(examples, [](const ExampleScore& example) {
    return Counted{example.negative_log_likelihood, static_cast<double>(example.tokens)};
  });
}

std::vector<double> token_summands(std::span<const ExampleScore> examples,
                                   const EvaluationOptions& /*options*/) {
  return with_counts(examples, [](const ExampleScore& example) {
    return Counted{static_cast<double>(example.correct), static_cast<double>(example.tokens)};
  });
}

std::vector<double> sequence_summands(std::span<const ExampleScore> examples,
                                      const EvaluationOptions& /*options*/) {
  return with_counts(examples, [](const ExampleScore& example) {
    return Counted{example.right ? 1.0 : 0.0, 1.0};
  });
}

double perplexity_of(std::span<const double> sums) { return std::exp(mean_of(sums)); }

}  // namespace tapehead
