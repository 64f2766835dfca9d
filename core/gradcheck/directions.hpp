// Gradients beside the slopes of L along random directions: one for each input, not one for each
// element.
#pragma once

#include <optional>

#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// What is wrong beyond doubt: inputs that a probe made up may be close to kinks, and far from where
// differences are precise.
std::optional<Finding> check_directions(const Subject& subject, const Run& run);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
