// Compares gradients with the slopes of L along random directions: one comparison per input instead
// of one per element.
#pragma once

#include <optional>

#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Reports only what is wrong beyond doubt: the inputs of a probe may be close to kinks, or far from
// where differences are precise.
std::optional<Finding> check_directions(const Subject& subject, const Run& run);

}}  // namespace tapehead::TAPEHEAD_PRECISION
