#include "lab/metric_sums.hpp"

#include "core/files/hash.hpp"

namespace tapehead {

namespace {

std::uint64_t digest_of(Metric metric, const std::vector<ExampleScore>& examples) {
  Hash hash;
  for (const ExampleScore& example : examples) {
    hash.add(example.reference);
    hash.add(static_cast<std::uint64_t>(kind_of(metric).of_outputs ? 0 : example.tokens));
  }
  return hash.value();
}

}  // namespace

MetricSums::MetricSums(Metric metric, const std::vector<ExampleScore>& examples,
                       const EvaluationOptions& options)
    : metric_(metric),
      columns_(0),
      summands_(kind_of(metric).summands(examples, options)),
      data_(digest_of(metric, examples)) {
  columns_ = summands_.size() / examples.size();
}

double MetricSums::value(std::span<const double> counts) const {
  std::vector<double> sums(columns_, 0.0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::size_t k = 0; k < columns_; ++k) {
      sums[k] += counts[i] * summands_[i * columns_ + k];
    }
  }
  return kind_of(metric_).value(sums);
}

double MetricSums::value() const { return value(std::vector<double>(examples(), 1.0)); }

}  // namespace tapehead
