// The embedding of tokens, their positions and their types.
#pragma once

#include "core/sequence/batch.hpp"
#include "nn/residual_connection.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// x = dropout(norm(scale table[id] + position_scale position + types[type])), with √D as the scale
// (Vaswani et al. 2017, sections 3.4 and 3.5) or 1, and 1 or 1/√D (Csordás et al. 2021, section
// 3.1) as that of positions. Types and norm (Devlin et al. 2019, figure 2 and the published
// code) are options. If the embedding is factored, the tables have the width E, and a linear map
// follows: M x + m (Lan et al. 2020, section 3.1).
struct TokenEmbedding {
  TokenEmbedding(const Scope& scope, const ModelOptions& options, Parameter table,
                 const Tensor& sinusoidal);

  // (N tokens) -> (N, D). Throws ShapeError for a type that a table of types does not have.
  Var operator()(Pass& pass, const Tokens& tokens) const;

  Parameter table;  // (V, E); not factored: E = D
  Scalar scale;
  PositionKind positions;
  Scalar position_scale;
  Parameter learned;  // (P, E)
  Tensor sinusoidal;  // (P, E)
  Parameter types;    // (types, E), with token_types
  std::optional<Norm> norm;
  double dropout;
  Parameter map_weight;  // (D, E), if factored
  Parameter map_bias;    // (D)
  Module module;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
