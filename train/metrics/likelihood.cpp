#include "train/metrics/likelihood.hpp"

#include <cmath>

namespace tapehead {

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
