// Guesses what made a gradient wrong when its error follows no simple pattern.
#pragma once

#include <string>

#include "core/gradcheck/diagnosis/comparison.hpp"

namespace tapehead {

// A clause for a hint, or nothing: parts of the cotangent arrive at the wrong place. The causes, in
// the order in which they are tried: something is added that does not come from dL/dy; an element
// of the output sends a gradient to an element that it does not depend on; a row gets the share of
// only one row of the output where several contribute.
std::string stray_share(const Comparison& comparison, const Jacobian& jacobian);

// The same for gradients that are wrong only as far as they come from some columns or rows of the
// output.
std::string part_of_output(const Jacobian& jacobian);

// The same for a missing term: one that makes each row of the gradient sum to 0, or makes it
// orthogonal to the row of the input.
std::string lost_term(const Comparison& comparison);

}  // namespace tapehead
