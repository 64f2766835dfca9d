// Sums and means.
#pragma once

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The sum and the mean of all numbers of x; y: (1).  The mean of an empty x throws ShapeError.
Var sum(const Var& x);
Var mean(const Var& x);

// Over one axis of x: (N, D).  Over axis 0 y is (D): the sum of the rows; over axis 1 y is (N): the
// sum in each row.  Throws ShapeError.
Var sum(const Var& x, Index axis);
Var mean(const Var& x, Index axis);

}}  // namespace tapehead::TAPEHEAD_PRECISION
