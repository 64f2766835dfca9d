// Recognises gradients that would be right for another cotangent than the given one.
#pragma once

#include <optional>

#include "core/gradcheck/diagnosis/comparison.hpp"

namespace tapehead {

// Right if dL/dy were 1 everywhere.
std::optional<WrongGradient> cotangent_ignored(const Comparison& comparison,
                                               const Jacobian& jacobian);

// Right if dL/dy were 0 except in one row.
std::optional<WrongGradient> not_summed(const Comparison& comparison, const Jacobian& jacobian);

}  // namespace tapehead
