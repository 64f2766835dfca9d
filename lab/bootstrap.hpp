// The paired bootstrap (Koehn 2004): whether a difference between two models would also be found
// with other test examples and other seeds. A metric is a function of sums over the examples.
#pragma once

#include "lab/run_scores.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// The summands of one metric for each example: of the loss its negative log-likelihood and its
// tokens, of BLEU its counts of n-grams. `options` say how sentences are split into words.
class MetricSums {
 public:
  MetricSums(Metric metric, const std::vector<ExampleScore>& examples,
             const EvaluationOptions& options);

  std::size_t examples() const { return summands_.size() / columns_; }

  // The metric of a test that contains example i counts[i] times; and of the test as it is.
  double value(std::span<const double> counts) const;
  double value() const;

  // A digest of what the metric is measured against: the references or, for a mean over tokens,
  // also the number of their tokens. Runs with equal digests can be compared example by example.
  std::uint64_t data() const { return data_; }

 private:
  Metric metric_;
  std::size_t columns_;
  std::vector<double> summands_;  // (examples, columns)
  std::uint64_t data_;
};

// The spread of a figure over several seeds or heads. The deviation is that of a sample,
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

// How often each example is in resample number `resample`, of as many draws as examples, of the
// test with the digest `data`. All runs see the same resamples of the same test.
std::vector<double> resample(std::uint64_t data, Index resample, std::size_t examples);

// A run's metric on its test, and on each resample of the test.
struct ResampledValue {
  std::uint64_t seed = 0;
  std::uint64_t data = 0;
  std::string text{};  // as RunScores::text; windows of a text have no references to tell it by
  double value = 0;
  std::vector<double> resampled{};
};
ResampledValue resample_value(std::uint64_t seed, const MetricSums& sums,
                              Index resamples = resample_count);

// A mean difference, the interval of 95 % of the resamples, and the probability of it by chance.
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

// Corrects p for comparisons that are made together (Holm 1979): of m in rising order of p, the
// i-th gets max_(j <= i) min(1, (m - j + 1) p_j). So chance alone brings any of them below a level
// with at most the probability of that level.
void correct_together(const std::vector<Difference*>& differences);

// The mean of `one` minus `other` over the seeds that both have on the same test data; nothing if
// there is none. Each resample draws seeds with replacement and, for all of these, the examples of
// their tests. These two levels make sure that neither lucky seeds nor lucky examples alone decide.
std::optional<Difference> compare(std::span<const ResampledValue> one,
                                  std::span<const ResampledValue> other);

}  // namespace tapehead
