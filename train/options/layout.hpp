// How the batches of a model are laid out.
#pragma once

#include "datasets/layout.hpp"
#include "nn/options/model_options.hpp"

namespace tapehead {

inline Layout layout_of(const ModelOptions& model) {
  switch (model.family) {
    case Family::decoder:
      return {.input = InputRows::source_and_target,
              .full_prefix = model.prefix == SourceRows::full};
    case Family::encoder:
      return {.input = InputRows::source};
    default:
      return {};
  }
}

}  // namespace tapehead
