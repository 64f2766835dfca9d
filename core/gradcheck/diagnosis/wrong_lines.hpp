// Gradients that are wrong in some rows or columns alone.
#pragma once

#include <optional>

#include "core/gradcheck/diagnosis/comparison.hpp"

namespace tapehead {

// Rows that hold what belongs into others, or the rows or columns that are wrong where others are
// right; nothing where all are wrong.
std::optional<WrongGradient> in_some_lines(const Comparison& comparison, const Jacobian& jacobian);

}  // namespace tapehead
