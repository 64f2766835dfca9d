// How the batches of a model are laid out.
#pragma once

#include "datasets/layout.hpp"
#include "nn/options/model_options.hpp"

namespace tapehead {

inline Layout layout_of(const ModelOptions& model) {
  using enum InputRows;
  const FamilyTraits& family = model.traits();
  return {.input = family.context        ? target
                   : family.one_sequence ? source_and_target
                                         : source,
          .full_prefix = model.prefix == SourceRows::full};
}

}  // namespace tapehead
