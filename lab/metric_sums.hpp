// A metric as what it is: a function of sums over the examples of a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lab/run_scores.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// The summands of one metric for each example: of the loss its negative log-likelihood and its
// tokens, of BLEU its counts of n-grams. `options` say how sentences are cut into words.
class MetricSums {
 public:
  MetricSums(Metric metric, const std::vector<ExampleScore>& examples,
             const EvaluationOptions& options);

  std::size_t examples() const { return summands_.size() / columns_; }

  // The metric of a test in which example i is there counts[i] times; of the test as it is.
  double value(std::span<const double> counts) const;
  double value() const;

  // A digest of what the metric is measured against: two runs can be compared example by example
  // where these are equal. References count, and, where the metric is a mean over tokens, how many
  // tokens they are cut into.
  std::uint64_t data() const { return data_; }

 private:
  Metric metric_;
  std::size_t columns_;
  std::vector<double> summands_;  // (examples, columns)
  std::uint64_t data_;
};

}  // namespace tapehead
