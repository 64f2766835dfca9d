#include "nn/generation/generation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Probabilities = std::vector<double>;

void normalise(Probabilities& probabilities) {
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (double& probability : probabilities) {
    probability /= sum;
  }
}

// p_v = exp(z_v / T) / Σ exp(z_w / T); for T = 0 its limit, with the first of equal tokens.
Probabilities tempered(std::span<const Scalar> logits, double temperature,
                       std::span<const TokenId> excluded) {
  std::vector<double> scaled(logits.begin(), logits.end());
  if (!std::ranges::all_of(scaled, [](double logit) { return std::isfinite(logit); })) {
    throw NumericError("logits are not finite");
  }
  for (const TokenId token : excluded) {
    scaled[static_cast<std::size_t>(token)] = -std::numeric_limits<double>::infinity();
  }
  const auto largest = std::ranges::max_element(scaled);
  Probabilities probabilities(scaled.size());
  if (temperature == 0) {
    probabilities[static_cast<std::size_t>(largest - scaled.begin())] = 1;
    return probabilities;
  }
  std::ranges::transform(scaled, probabilities.begin(),
                         [&](double logit) { return std::exp((logit - *largest) / temperature); });
  normalise(probabilities);
  return probabilities;
}

// Keeps the most likely tokens, as many as `enough` asks for: it is called with how many there are
// so far and with their probability.
template <class Enough>
void keep_most_likely(Probabilities& probabilities, const Enough& enough) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return probabilities[a] > probabilities[b]; });
  double sum = 0;
  std::size_t kept = 0;
  while (kept < order.size() && !enough(kept, sum)) {
    sum += probabilities[order[kept++]];
  }
  for (std::size_t i = kept; i < order.size(); ++i) {
    probabilities[order[i]] = 0;
  }
  normalise(probabilities);
}

}  // namespace

std::vector<double> token_probabilities(std::span<const Scalar> logits,
                                        const SamplingOptions& options,
                                        std::span<const TokenId> excluded) {
  Probabilities probabilities = tempered(logits, options.temperature, excluded);
  if (options.top_k > 0) {
    keep_most_likely(probabilities, [&](std::size_t kept, double) {
      return kept == static_cast<std::size_t>(options.top_k);
    });
  }
  if (options.top_p < 1) {
    keep_most_likely(probabilities, [&](std::size_t kept, double sum) {
      return kept > 0 && sum >= options.top_p;
    });
  }
  if (options.min_p > 0) {
    const double least = options.min_p * std::ranges::max(probabilities);
    std::ranges::replace_if(
        probabilities, [&](double probability) { return probability < least; }, 0.0);
    normalise(probabilities);
  }
  return probabilities;
}

// Rounding may leave the sum of all below `uniform`; then it is the last token that can be drawn.
TokenId token_at(std::span<const double> probabilities, double uniform) {
  double sum = 0;
  TokenId last = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] > 0) {
      last = static_cast<TokenId>(i);
      sum += probabilities[i];
      if (uniform < sum) {
        break;
      }
    }
  }
  return last;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
