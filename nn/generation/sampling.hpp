// Sampling: draws a token from the probabilities that a model gives to all tokens.
#pragma once

#include <span>
#include <vector>

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Which tokens may be drawn, and how likely. The limits hold together, each for the probabilities
// that the one before has left.
struct SamplingOptions {
  double temperature = 1;  // logits are divided by it; 0: always the most likely token
  Index top_k = 0;         // the k most likely tokens; 0: all
  double top_p = 1;        // the fewest most likely tokens that have this probability together
                           // (Holtzman et al. 2020, nucleus sampling)
  double min_p = 0;        // tokens at least this many times as likely as the most likely one
                           // (Nguyen et al. 2024)
};

// The probability of each token to be drawn; together 1. Those `excluded` have none. Among equally
// likely tokens, limits keep the first. Throws NumericError if logits are not finite.
std::vector<double> token_probabilities(std::span<const Scalar> logits,
                                        const SamplingOptions& options,
                                        std::span<const TokenId> excluded);

// The token at which the sum of probabilities, in the order of tokens, exceeds `uniform`, which is
// in [0, 1).
TokenId token_at(std::span<const double> probabilities, double uniform);

}}  // namespace tapehead::TAPEHEAD_PRECISION
