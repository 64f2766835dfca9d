// The paired bootstrap (Koehn 2004): tests whether a difference between two models would also be
// found with other test examples and other seeds.
#pragma once

#include "lab/run_scores.hpp"

namespace tapehead {

// The summands of a metric for each example: for the loss, the negative log-likelihood and the
// number of tokens; for BLEU, the counts of n-grams. `options` say how to split words.
class MetricSums {
 public:
  MetricSums(Metric metric, const std::vector<ExampleScore>& examples,
             const EvaluationOptions& options);

  std::size_t examples() const { return summands_.size() / columns_; }

  // The metric of a test that contains example i counts[i] times.
  double value(std::span<const double> counts) const;
  double value() const;

  // A digest of the references or, for a mean over tokens, also of their numbers of tokens. Two
  // runs can be compared example by example if their digests are equal.
  std::uint64_t data() const { return data_; }

 private:
  Metric metric_;
  std::vector<double> summands_;  // (examples, columns)
  std::size_t columns_;
  std::uint64_t data_ = 0;
};

// The spread of a figure over several seeds or heads. The deviation is the sample deviation,
// √(Σ (x - mean)² / (n - 1)); it is 0 for a single value.
struct Spread {
  double mean = 0;
  double deviation = 0;
  std::size_t count = 0;

  bool has_deviation() const { return count > 1; }
};
Spread spread_of(const std::vector<double>& values);

constexpr Index resample_count = 1000;
constexpr double significance_level = 0.05;

// How often each example occurs in resample number `resample` of the test with the digest `data`. A
// resample has as many draws as examples. It is the same for all runs on the same test.
std::vector<double> resample(std::uint64_t data, Index resample, std::size_t examples);

// A run's metric on its test, and on each resample of the test.
struct ResampledValue {
  std::uint64_t seed = 0;
  std::uint64_t data = 0;
  std::string text{};  // RunScores::text: windows of a text have no references to tell them apart
  double value = 0;
  std::vector<double> resampled{};
};
ResampledValue resample_value(std::uint64_t seed, const MetricSums& sums,
                              Index resamples = resample_count);

// A mean difference, the interval that holds 95 % of the resamples, and its p value.
struct Difference {
  double mean = 0;
  double low = 0;
  double high = 0;
  double p = 1;       // two-sided: twice the share of resamples on the other side of 0, at most 1
  double p_holm = 1;  // p, corrected for the comparisons that are made with this one
  std::size_t pairs = 0;  // of runs with the same seed; one pair says nothing about other seeds

  bool significant() const { return p < significance_level; }
};
Difference judge(double mean, std::vector<double> resampled);

// Corrects p for comparisons that are made together (Holm 1979). With m values of p in rising
// order, the i-th becomes max_(j <= i) min(1, (m - j + 1) p_j). The probability that chance alone
// brings any of them below a level is then at most that level.
void correct_together(const std::vector<Difference*>& differences);

// The mean of `one` minus `other` over their common seeds with the same test data; nothing without
// a common seed. Each resample draws seeds with replacement and, for all drawn seeds, the test
// examples, so that neither lucky seeds nor lucky examples alone decide.
std::optional<Difference> compare(std::span<const ResampledValue> one,
                                  std::span<const ResampledValue> other);

}  // namespace tapehead
