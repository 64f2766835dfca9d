// Rules against options of the model, apart from attention, that have no effect with the others.
#pragma once

#include <optional>

#include "datasets/task_kind.hpp"
#include "train/options/options.hpp"

namespace tapehead {

std::optional<Violation> unused_norm_bias(const Config& config);
std::optional<Violation> unused_norm_options(const Config& config);
std::optional<Violation> unused_depth_scale(const Config& config);

}  // namespace tapehead
