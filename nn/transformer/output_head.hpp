// The output head: maps the last hidden rows of a model to logits.
#pragma once

#include "nn/options/model_options.hpp"
#include "nn/pass.hpp"
#include "nn/transformer/best_tokens.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct OutputHead {
  // `table`: the embedding of the input. A tied head uses its first rows.
  OutputHead(const Scope& scope, const ModelOptions& options, Index labels, const Parameter& table);

  Parameter weight;  // (V, D): may be rows of the embedding
  Parameter bias;    // (V); with bias_output
  Module module;

  Index classes() const { return weight.shape[0]; }

  Var logits(Pass& pass, const Var& hidden) const;  // (N, D) -> (N, V)

  // The most likely tokens of each row of `hidden`, as logits() would give them.
  BestTokens best(Pass& pass, const Var& hidden, Index count, TokenId excluded,
                  LogSums log_sums) const;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
