// Arithmetic: ops that work element by element, sums and means.
#pragma once

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = a + b, a - b, a ∘ b.  b has the shape of a, or is one row (D) for every row of a: (N, D); y
// has the shape of a.  Throws ShapeError.
Var add(const Var& a, const Var& b);
Var subtract(const Var& a, const Var& b);
Var multiply(const Var& a, const Var& b);

// y = factor x, for x of any shape.
Var scale(const Var& x, Scalar factor);

// y = eˣ and y = ln x (whose x must be positive), for x of any shape.
Var exp(const Var& x);
Var log(const Var& x);

// The sum and the mean of all numbers of x; y: (1).  The mean of an empty x throws ShapeError.
Var sum(const Var& x);
Var mean(const Var& x);

// Over one axis of x: (N, D).  Over axis 0 y is (D): the sum of the rows; over axis 1 y is (N): the
// sum in each row.  Throws ShapeError.
Var sum(const Var& x, Index axis);
Var mean(const Var& x, Index axis);

}}  // namespace tapehead::TAPEHEAD_PRECISION
