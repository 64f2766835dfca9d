// The norm layer, of either type; with model.norm: none it leaves its rows as they are.
#pragma once

#include <string>

#include "nn/options/model_options.hpp"
#include "nn/pass.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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

}}  // namespace tapehead::TAPEHEAD_PRECISION
