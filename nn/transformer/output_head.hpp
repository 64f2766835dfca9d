// The output head: maps the last hidden rows of a model to logits, through a transform if the
// options have one.
#pragma once

#include <optional>

#include "nn/transformer/best_tokens.hpp"
#include "nn/transformer/row_transform.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct OutputHead {
  // `table`: the embedding of the input. A tied head uses its first rows.
  OutputHead(const Scope& scope, const ModelOptions& options, Index labels, const Parameter& table);

  Parameter weight;  // (V, D), or (V, E) after a transform to the width of the embedding: may be
                     // rows of the embedding
  Parameter bias;    // (V); with bias_output
  std::optional<RowTransform> transform;  // with head_transform
  Module module;

  Index classes() const { return weight.shape[0]; }

  Var logits(Pass& pass, const Var& hidden) const;  // (N, D) -> (N, V)

  // The most likely tokens of each row of `hidden`, as logits() would give them.
  BestTokens best(Pass& pass, const Var& hidden, Index count, TokenId excluded,
                  LogSums log_sums) const;

 private:
  Var transformed(Pass& pass, const Var& hidden) const {
    return transform ? (*transform)(pass, hidden) : hidden;
  }
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
