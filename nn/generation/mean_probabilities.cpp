#include "nn/generation/mean_probabilities.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/errors.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

double log_sum_exp(std::span<const Scalar> logits) {
  if (!std::ranges::all_of(logits, [](Scalar logit) { return std::isfinite(logit); })) {
    throw NumericError("logits are not finite");
  }
  const auto largest = static_cast<double>(std::ranges::max(logits));
  double sum = 0;
  for (const Scalar logit : logits) {
    sum += std::exp(static_cast<double>(logit) - largest);
  }
  return largest + std::log(sum);
}

double log_mean_exp(std::span<const double> logs) {
  const double largest = std::ranges::max(logs);
  double sum = 0;
  for (const double one : logs) {
    sum += std::exp(one - largest);
  }
  return largest + std::log(sum / static_cast<double>(logs.size()));
}

Tensor mean_log_probabilities(std::span<const Tensor> logits) {
  const Index N = logits.front().dim(0);
  const Index V = logits.front().dim(1);
  Tensor mean = Tensor::empty({N, V});
  std::vector<double> log_sums(logits.size());
  std::vector<double> logs(logits.size());
  for (Index row = 0; row < N; ++row) {
    for (std::size_t k = 0; k < logits.size(); ++k) {
      log_sums[k] = log_sum_exp({logits[k].row(row), static_cast<std::size_t>(V)});
    }
    for (Index token = 0; token < V; ++token) {
      for (std::size_t k = 0; k < logits.size(); ++k) {
        logs[k] = static_cast<double>(logits[k].row(row)[token]) - log_sums[k];
      }
      mean.row(row)[token] = static_cast<Scalar>(log_mean_exp(logs));
    }
  }
  return mean;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
