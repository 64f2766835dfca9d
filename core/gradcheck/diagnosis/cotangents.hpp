// Gradients that are right for another cotangent than the one that was given.
#pragma once

#include <optional>

#include "core/gradcheck/diagnosis/comparison.hpp"

namespace tapehead {

// As if dL/dy were 1 everywhere.
std::optional<WrongGradient> cotangent_ignored(const Comparison& comparison,
                                               const Jacobian& jacobian);

// As if dL/dy were 0 but for one row.
std::optional<WrongGradient> not_summed(const Comparison& comparison, const Jacobian& jacobian);

}  // namespace tapehead
