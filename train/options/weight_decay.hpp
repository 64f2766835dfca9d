// Weight decay by kind of parameter.
#pragma once

#include "core/tape/parameter_declaration.hpp"
#include "train/options/training_options.hpp"

namespace tapehead {

// Whether the options let parameters of this kind decay. Weights of linear maps always do, as far
// as `weight_decay` is not 0.
constexpr bool decays(const TrainingOptions& options, ParameterKind kind) {
  switch (kind) {
    case ParameterKind::gain:
      return options.decay_gains;
    case ParameterKind::bias:
      return options.decay_biases;
    case ParameterKind::embedding:
      return options.decay_embeddings;
    default:
      return true;
  }
}

// The weight decay of parameters of this kind.
constexpr double weight_decay_of(const TrainingOptions& options, ParameterKind kind) {
  return decays(options, kind) ? options.weight_decay : 0;
}

}  // namespace tapehead
