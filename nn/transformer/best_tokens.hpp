// The most likely next tokens of each hypothesis, computed directly from the decoder's output. The
// logits of the whole vocabulary are never stored.
#pragma once

#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct TokenLogit {
  TokenId token;
  Scalar logit;
};

struct BestTokens {
  Index count;                     // tokens for each row of the hidden states
  std::vector<TokenLogit> tokens;  // (N, count): largest logit first; if equal, the lower token
  std::vector<double> log_sums;    // (N): log Σ_v exp(logit_v) over all tokens; or empty

  std::span<const TokenLogit> of(Index row) const {
    return std::span(tokens).subspan(static_cast<std::size_t>(row * count),
                                     static_cast<std::size_t>(count));
  }
};

enum class LogSums { wanted, left_out };

// The tokens of the `count` largest logits (or of all, if there are fewer) in each row of hidden
// tableᵀ + bias. `excluded` is never among them. hidden: (N, D), table: (V, D), bias: (V), or
// without memory if there is none.  Throws NumericError if logits are not finite.
BestTokens best_tokens(const Tensor& hidden, const Tensor& table, const Tensor& bias, Index count,
                       TokenId excluded, LogSums log_sums = LogSums::wanted);

}}  // namespace tapehead::TAPEHEAD_PRECISION
