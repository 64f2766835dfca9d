// Recognises gradients that are wrong only in some rows or columns.
#pragma once

#include <optional>

#include "core/gradcheck/diagnosis/comparison.hpp"

namespace tapehead {

// Rows that hold the values of other rows; otherwise the rows or columns that are wrong while
// others are right. Nothing if all are wrong.
std::optional<WrongGradient> in_some_lines(const Comparison& comparison, const Jacobian& jacobian);

}  // namespace tapehead
