// Finds the most likely next tokens of each hypothesis directly from the decoder's output, without
// storing the logits of the whole vocabulary.
#pragma once

#include "core/choices.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct TokenLogit {
  TokenId token;
  Scalar logit;
};

struct BestTokens {
  Index count;                     // number of tokens for each row
  std::vector<TokenLogit> tokens;  // (N, count): largest logit first; if equal, lower token first
  std::vector<double> log_sums;    // (N): log Σ_v exp(logit_v) over all tokens; may be empty

  std::span<const TokenLogit> of(Index row) const {
    return std::span(tokens).subspan(static_cast<std::size_t>(row * count),
                                     static_cast<std::size_t>(count));
  }
};

enum class LogSums { wanted, left_out };

// For each row of hidden tableᵀ + bias: the tokens of the `count` largest logits (of all, if there
// are fewer), without `excluded`. hidden: (N, D), table: (V, D), bias: (V), or a tensor without
// memory. Throws NumericError if logits are not finite.
BestTokens best_tokens(const Tensor& hidden, const Tensor& table, const Tensor& bias, Index count,
                       TokenId excluded, LogSums log_sums = LogSums::wanted,
                       Precision precision = Precision::float32);

}}  // namespace tapehead::TAPEHEAD_PRECISION
