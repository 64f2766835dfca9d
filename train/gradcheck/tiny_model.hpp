// Shrinks a model to few layers and narrow heads, so that its parts work together as before.
#pragma once

#include "datasets/shrinking.hpp"
#include "nn/options/model_options.hpp"

namespace tapehead {

// The options must be resolved, and they are resolved afterwards.
void shrink_model(ModelOptions& model, const IsSet& is_set);

}  // namespace tapehead
