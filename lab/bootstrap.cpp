#include "lab/bootstrap.hpp"

namespace tapehead {

MetricSums::MetricSums(Metric metric, const std::vector<ExampleScore>& examples,
                       const EvaluationOptions& options)
    : metric_(metric),
      summands_(kind_of(metric).summands(examples, options)),
      columns_(summands_.size() / examples.size()) {
  Hash hash;
  for (const ExampleScore& example : examples) {
    hash.add(example.reference);
    hash.add(static_cast<std::uint64_t>(needs_outputs(kind_of(metric)) ? 0 : example.tokens));
  }
  data_ = hash.value();
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

Spread spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Spread spread{.count = values.size()};
  for (const double value : values) {
    spread.mean += value / count;
  }
  for (const double value : values) {
    const double off = value - spread.mean;
    spread.deviation += values.size() > 1 ? off * off / (count - 1) : 0;
  }
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
}

std::vector<double> resample(std::uint64_t data, Index resample, std::size_t examples) {
  const Draws draws(data, "bootstrap/examples", resample);
  std::vector<double> counts(examples, 0.0);
  for (std::size_t i = 0; i < examples; ++i) {
    ++counts[static_cast<std::size_t>(draw_below(draws, i, static_cast<Index>(examples)))];
  }
  return counts;
}

ResampledValue resample_value(std::uint64_t seed, const MetricSums& sums, Index resamples) {
  ResampledValue result{.seed = seed, .data = sums.data(), .value = sums.value()};
  for (Index i = 0; i < resamples; ++i) {
    result.resampled.push_back(sums.value(resample(sums.data(), i, sums.examples())));
  }
  return result;
}

Difference judge(double mean, std::vector<double> resampled) {
  // NaN counts on both sides, so that it is no evidence for a difference. The + 1 keeps p above 0:
  // no number of resamples can show that p is 0 (Davison and Hinkley 1997, section 4.2).
  const auto not_above =
      std::ranges::count_if(resampled, [](double difference) { return !(difference > 0); });
  const auto not_below =
      std::ranges::count_if(resampled, [](double difference) { return !(difference < 0); });
  const auto count = static_cast<double>(resampled.size());
  const double tail = static_cast<double>(std::min(not_above, not_below) + 1) / (count + 1);
  std::erase_if(resampled, [](double difference) { return std::isnan(difference); });
  std::ranges::sort(resampled);
  Difference result{.mean = mean, .low = mean, .high = mean, .p = std::min(1.0, 2 * tail)};
  if (!resampled.empty()) {
    const auto outside =
        static_cast<std::size_t>(significance_level / 2 * static_cast<double>(resampled.size()));
    result.low = resampled[outside];
    result.high = resampled[resampled.size() - 1 - outside];
  }
  result.p_holm = result.p;
  return result;
}

void correct_together(const std::vector<Difference*>& differences) {
  std::vector<Difference*> rising = differences;
  std::ranges::stable_sort(rising, {}, &Difference::p);
  double largest = 0;
  for (std::size_t i = 0; i < rising.size(); ++i) {
    largest = std::max(largest, static_cast<double>(rising.size() - i) * rising[i]->p);
    rising[i]->p_holm = std::min(1.0, largest);
  }
}

std::optional<Difference> compare(std::span<const ResampledValue> one,
                                  std::span<const ResampledValue> other) {
  // The results of the two models for the same seed and the same data.
  std::vector<std::pair<const ResampledValue*, const ResampledValue*>> pairs;
  double sum = 0;
  for (const ResampledValue& a : one) {
    for (const ResampledValue& b : other) {
      // An unknown text counts as equal to any text.
      const bool other_text = !a.text.empty() && !b.text.empty() && a.text != b.text;
      if (a.seed == b.seed && a.data == b.data && !other_text) {
        pairs.emplace_back(&a, &b);
        sum += a.value - b.value;
      }
    }
  }
  if (pairs.empty()) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(pairs.size());
  // Each is the mean of as many pairs as there are, drawn with replacement.
  std::vector<double> resampled(pairs.front().first->resampled.size());
  for (std::size_t i = 0; i < resampled.size(); ++i) {
    const Draws draws(0, "bootstrap/seeds", static_cast<Index>(i));
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto& [a, b] = pairs[static_cast<std::size_t>(draw_below(draws, k, std::ssize(pairs)))];
      resampled[i] += a->resampled[i] - b->resampled[i];
    }
    resampled[i] /= count;
  }
  Difference difference = judge(sum / count, std::move(resampled));
  difference.pairs = pairs.size();
  return difference;
}

}  // namespace tapehead
