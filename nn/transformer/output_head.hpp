// The output head: maps the last hidden rows of a model to logits, perhaps through a transform.
#pragma once

#include <optional>

#include "nn/residual_connection.hpp"
#include "nn/transformer/best_tokens.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// What rows go through before the output layer.
// pooler:  y = tanh(W x + b), of width D (Devlin et al. 2019, as the published code has it), on the
//          rows whose classes are predicted
// masked:  y = norm(activation(W x + b)), of the width of the embedding, whose table the output
//          layer can then be (the same code, and Lan et al. 2020)
struct RowTransform {
  RowTransform(const Scope& scope, const ModelOptions& options);
  Var operator()(Pass& pass, const Var& rows) const;  // (N, D) -> (N, D) or (N, E)

  Activation activation;
  Parameter weight;  // (D, D) or (E, D)
  Parameter bias;
  std::optional<Norm> norm;  // masked
  Module module;
};

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
