// Takes attentions and layers apart that share weights, so that a change of one acts at one site.
#pragma once

#include <memory>

#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Whether some attentions of a model share weights (model.layer_groups, shared_as).
bool shares_weights(const Transformer& transformer);

// A model that computes the same, in which each attention and each layer has weights of its own:
// copies of those that it shares in `model`, whose config this is.
std::unique_ptr<Model> with_weights_apart(const Model& model, const Config& config);

}}  // namespace tapehead::TAPEHEAD_PRECISION
