// The transform of the output head: what rows go through before the output layer.
#pragma once

#include <optional>

#include "nn/norm.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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

}}  // namespace tapehead::TAPEHEAD_PRECISION
