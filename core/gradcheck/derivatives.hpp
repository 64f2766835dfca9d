// Backward passes against differences: each element of each input.
#pragma once

#include <vector>

#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// What is wrong with the gradients of a run: at most one finding for each input, about its worst
// element.
std::vector<Finding> check_derivatives(const Subject& subject, const Run& run,
                                       const std::vector<bool>& arrived);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
