// Rules about the family of a model: which parts it has, and which tasks it is for.
#pragma once

#include <optional>

#include "datasets/task_kind.hpp"
#include "train/options/options.hpp"

namespace tapehead {

std::optional<Violation> parts_exist(const Config& config);
std::optional<Violation> text_has_one_stack(const Config& config);
std::optional<Violation> masks_are_for_encoders(const Config& config);
std::optional<Violation> begin_mark_is_used(const Config& config);

}  // namespace tapehead
