// What may have made a gradient wrong that follows no simple pattern.
#pragma once

#include <string>

#include "core/gradcheck/diagnosis/comparison.hpp"

namespace tapehead {

// A clause for a hint, or nothing: parts of the cotangent that come out in the wrong place. In this
// order: something is added that does not come from dL/dy; an element of the output sends a
// gradient to what it does not depend on; a row has the share of one row of the output where
// several have one.
std::string stray_share(const Comparison& comparison, const Jacobian& jacobian);

// The same for a term that is missing, which keeps a sum or a norm of each row.
std::string lost_term(const Comparison& comparison);

}  // namespace tapehead
