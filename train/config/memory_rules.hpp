// Rules about the memory of running text.
#pragma once

#include <optional>

#include "datasets/task_kind.hpp"
#include "train/options/options.hpp"

namespace tapehead {

std::optional<Violation> memory_fits(const Config& config);

}  // namespace tapehead
