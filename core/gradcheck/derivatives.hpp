// Backward passes against central differences.
#pragma once

#include <string>

#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// What is wrong with the gradients of a run, or nothing.
std::string check_derivatives(const Subject& subject, const Run& run);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
