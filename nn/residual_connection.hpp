// The residual connection around a block, with norm and dropout. It alone knows pre- and post-norm.
#pragma once

#include "core/ops/residual.hpp"
#include "nn/options/model_options.hpp"
#include "nn/pass.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The norm layer, of either type; with model.norm: none it leaves its rows as they are.
struct Norm {
  Norm(const Scope& scope, const ModelOptions& options) : Norm(scope, options, options.d_model) {}
  Norm(const Scope& scope, const ModelOptions& options, Index width);
  Var operator()(Pass& pass, const Var& x) const;  // (N, width) -> (N, width)

  NormKind kind;
  Scalar epsilon;
  std::string path;
  Parameter gain;  // undeclared without a norm
  Parameter bias;  // of layer_norm, with bias_norm
};

// A block's output before its last bias, and that bias, which the residual sum adds.
struct BlockOutput {
  Var value;  // (N, D)
  Var bias;   // (D); zeros if the block has none
};

struct Residual {
  Residual(const Scope& scope, const ModelOptions& options);
  static std::string path_in(const Scope& scope) { return (scope / "residual").path(); }

  // Other rows that the block reads, as it reads its own: norm(x) or x.
  Var block_input(Pass& pass, const Var& rows) const {
    return position == NormPosition::pre ? norm(pass, rows) : rows;
  }

  // pre:  x + dropout(block(norm(x)));  post: norm(x + dropout(block(x))).  (N, D) -> (N, D)
  template <class Block>
  Var operator()(Pass& pass, const Var& x, const Segments& segments, const Block& block) const {
    const BlockOutput output = block(block_input(pass, x));
    Var sum = residual(x, output.value, output.bias, pass.dropout(dropout, path, segments));
    return position == NormPosition::pre ? sum : norm(pass, sum);
  }

  NormPosition position;
  double dropout;
  std::string path;  // the stream of the random draws
  Norm norm;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
