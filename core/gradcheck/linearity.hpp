// Checks that a backward pass is linear in the cotangent, also where parts of that are 0, as for
// rows without a label.
#pragma once

#include <optional>

#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Returns what is wrong, or nothing. The results of backward for two parts of the cotangent, each 0
// where the other is not, add up to that for both, and a multiple gives the multiple.
std::optional<Finding> check_linearity(const Subject& subject, const Run& first,
                                       const GradientRounding& rounding);

}}  // namespace tapehead::TAPEHEAD_PRECISION
