// Rules about options of the model, apart from attention, that must fit each other.
#pragma once

#include <optional>

#include "datasets/task_kind.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// The layers of the stack that has most.
Index most_layers(const ModelOptions& model);

std::optional<Violation> tied_output_fits(const Config& config);
std::optional<Violation> layer_groups_fit(const Config& config);

}  // namespace tapehead
