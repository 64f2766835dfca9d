// Joins matrices, and takes parts of them.
#pragma once

#include <span>

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// One below the other (axis 0: all of the same width) or side by side (axis 1: all of the same
// height).  At least one matrix.  Throws ShapeError.
Var concatenate(std::span<const Var> pieces, Index axis);
inline Var concatenate(std::initializer_list<Var> pieces, Index axis) {
  return concatenate(std::span(pieces.begin(), pieces.size()), axis);
}

// Rows (axis 0) or columns (axis 1) begin ... end - 1 of x: (N, D).  Throws ShapeError.
Var slice(const Var& x, Index axis, Index begin, Index end);

}}  // namespace tapehead::TAPEHEAD_PRECISION
