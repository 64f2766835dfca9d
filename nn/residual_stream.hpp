// The residual stream of a model: its rows start as embeddings, and each block adds its output.
#pragma once

#include "core/ops/residual.hpp"
#include "nn/pass.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The norm layer, of either type. With model.norm: none, rows stay unchanged.
struct Norm {
  Norm(const Scope& scope, const ModelOptions& options) : Norm(scope, options, options.d_model) {}
  Norm(const Scope& scope, const ModelOptions& options, Index width);
  Var operator()(Pass& pass, const Var& x) const;  // (N, width) -> (N, width)

  NormKind kind;
  Scalar epsilon;
  std::string path;
  Parameter gain;  // undeclared without a norm
  Parameter bias;  // with layer_norm and bias_norm
};

// A block's output without its last bias, and this bias, which the residual sum adds.
struct BlockOutput {
  Var value;  // (N, D)
  Var bias;   // (D); zeros if the block has none
};

// The residual connection around a block, with norm and dropout. Only it knows pre- and post-norm.
struct Residual {
  Residual(const Scope& scope, const ModelOptions& options);
  static std::string path_in(const Scope& scope) { return (scope / "residual").path(); }

  // Prepares further input rows of a block as the block's own rows: norm(rows) or rows.
  Var block_input(Pass& pass, const Var& rows) const {
    return position == NormPosition::pre ? norm(pass, rows) : rows;
  }

  // pre:  x + dropout(block(norm(x)));  post: norm(x + dropout(block(x))).  (N, D) -> (N, D)
  // Shows x as `rows`, the block's output without its last bias as `block`, and the sum as `sum`.
  Var operator()(Pass& pass, const Var& x, const Segments& segments, const auto& block) const {
    pass.show(path, "rows", x);
    const BlockOutput output = block(block_input(pass, x));
    pass.show(path, "block", output.value);
    Var sum = residual(x, output.value, output.bias, pass.dropout(dropout, path, segments));
    pass.show(path, "sum", sum);
    return position == NormPosition::pre ? sum : norm(pass, sum);
  }

  NormPosition position;
  double dropout;
  std::string path;  // the stream of the random draws
  Norm norm;
};

// The embedding of tokens, their positions and types:
// x = dropout(norm(scale table[id] + position_scale position + types[type])). The scale is √D
// (Vaswani et al. 2017, sections 3.4 and 3.5) or 1; the position_scale is 1 or 1/√D (Csordás et al.
// 2021, section 3.1). Types and norm are optional (Devlin et al. 2019, figure 2 and the published
// code). If factored, tables have width E and a linear map follows: M x + m (Lan et al. 2020, 3.1).
struct TokenEmbedding {
  TokenEmbedding(const Scope& scope, const ModelOptions& options, Parameter table,
                 const Tensor& sinusoidal);

  // (N tokens) -> (N, D). Throws ShapeError for a type outside the table of types.
  Var operator()(Pass& pass, const Tokens& tokens) const;

  Parameter table;  // (V, E); E = D if not factored
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
