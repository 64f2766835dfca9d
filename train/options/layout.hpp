// How the batches of a model are laid out.
#pragma once

#include "datasets/layout.hpp"
#include "nn/options/model_options.hpp"

namespace tapehead {

inline Layout layout_of(const ModelOptions& model) {
  const bool one_sequence = model.family == Family::decoder;
  return {.one_sequence = one_sequence,
          .full_prefix = one_sequence && model.prefix == SourceRows::full};
}

}  // namespace tapehead
