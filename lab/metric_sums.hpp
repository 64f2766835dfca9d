// A metric as a function of sums over the examples of a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lab/run_scores.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// The summands of one metric for each example. Those of the loss are the example's negative
// log-likelihood and its tokens; those of BLEU are its counts of n-grams. `options` say how
// sentences are split into words.
class MetricSums {
 public:
  MetricSums(Metric metric, const std::vector<ExampleScore>& examples,
             const EvaluationOptions& options);

  std::size_t examples() const { return summands_.size() / columns_; }

  // The metric of a test that contains example i counts[i] times; and of the test as it is.
  double value(std::span<const double> counts) const;
  double value() const;

  // A digest of what the metric is measured against. Two runs whose digests are equal can be
  // compared example by example. It covers the references and, if the metric is a mean over tokens,
  // the number of their tokens. Windows of a text have no references: RunScores::text tells texts
  // apart.
  std::uint64_t data() const { return data_; }

 private:
  Metric metric_;
  std::size_t columns_;
  std::vector<double> summands_;  // (examples, columns)
  std::uint64_t data_;
};

}  // namespace tapehead
