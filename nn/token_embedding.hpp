// The embedding of tokens and their positions.
#pragma once

#include "core/sequence/batch.hpp"
#include "nn/options/model_options.hpp"
#include "nn/pass.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// dropout(scale table[id] + position), with √D as the scale (Vaswani et al. 2017, sections 3.4 and
// 3.5) or 1.
struct TokenEmbedding {
  TokenEmbedding(const Scope& scope, const ModelOptions& options, Parameter table,
                 const Tensor& sinusoidal);
  Var operator()(Pass& pass, const Tokens& tokens) const;  // (N ids) -> (N, D)

  Parameter table;  // (V, D)
  Scalar scale;
  PositionKind positions;
  Parameter learned;  // (P, D)
  Tensor sinusoidal;  // (P, D)
  double dropout;
  Module module;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
