#include "train/metrics/metric_kind.hpp"

#include <numbers>

namespace tapehead {

double mean_of(std::span<const double> sums) { return sums[0] / sums[1]; }

double perplexity_of(std::span<const double> sums) { return std::exp(mean_of(sums)); }

double bits_of(std::span<const double> sums) { return mean_of(sums) / std::numbers::ln2; }

std::string metric_text(const MetricKind& kind, double value) {
  return kind.percent ? fmt::format("{:.{}f} %", 100 * value, kind.decimals)
                      : fmt::format("{:.{}f}", value, kind.decimals);
}

double measure(const MetricKind& kind, ExampleScores examples, const EvaluationOptions& options) {
  if (examples.empty()) {
    return 0;
  }
  const std::vector<double> rows = kind.summands(examples, options);
  const std::size_t columns = rows.size() / examples.size();
  std::vector<double> sums(columns, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sums[i % columns] += rows[i];
  }
  return kind.value(sums);
}

}  // namespace tapehead
