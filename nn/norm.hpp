// The norm layer, of either type.
#pragma once

#include <string>

#include "nn/options/model_options.hpp"
#include "nn/pass.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct Norm {
  Norm(const Scope& scope, const ModelOptions& options);
  Var operator()(Pass& pass, const Var& x) const;  // (N, D) -> (N, D)

  NormKind kind;
  Scalar epsilon;
  std::string path;
  Parameter gain;
  Parameter bias;  // of layer_norm, with bias_norm
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
