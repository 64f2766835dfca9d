// The output head: from the last rows of a model to what it says.
#pragma once

#include "nn/best_tokens.hpp"
#include "nn/pass.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct OutputHead {
  Parameter weight;  // (V, D): may be rows of an embedding
  Module module;

  Index classes() const { return weight.shape[0]; }

  // (N, D) -> (N, V)
  Var logits(Pass& pass, const Var& hidden) const {
    const InModule here(pass.tape(), module);
    return pass.linear(hidden, weight);
  }

  // The most likely tokens of each row of `hidden`, as logits() would give them.
  BestTokens best(Pass& pass, const Var& hidden, Index count, TokenId excluded,
                  LogSums log_sums) const {
    const Tensor table = pass.parameter(weight).value().part(0, weight.shape);
    return best_tokens(hidden.value(), table, count, excluded, log_sums);
  }
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
