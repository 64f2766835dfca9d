// Runs the function under a gradient check on inputs derived from the given ones, to find mistakes
// that the given ones do not show.
#pragma once

#include <optional>

#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Each returns what is wrong, or nothing. Each also returns nothing if the function throws on such
// inputs, or has no finite value there.

// The same Var for two inputs of one shape: its gradient must be the sum of both.
std::optional<Finding> probe_same_input(const Subject& subject);

// Other sizes: one row, no row, two, twice as many, and as many as columns, of the matrices that
// have as many rows as the first input; one column of the inputs that have as many columns as it
// has.
std::optional<Finding> probe_sizes(const Subject& subject);

// Inputs 1000 times as large, and as small: gradients must stay finite where values do, and slopes
// along random directions must be right.
std::optional<Finding> probe_far_values(const Subject& subject);

}}  // namespace tapehead::TAPEHEAD_PRECISION
