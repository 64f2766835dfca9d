// Arithmetic: element-wise ops, sums and means.
#pragma once

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = a + b, a - b, a ∘ b.  b has the shape of a, or b: (D) is used for every row of a: (N, D). y
// has the shape of a.  Throws ShapeError.
Var add(const Var& a, const Var& b);
Var subtract(const Var& a, const Var& b);
Var multiply(const Var& a, const Var& b);

Var scale(const Var& x, Scalar factor);  // y = factor x, for x of any shape

// y = eˣ and y = ln x (x must be positive), for x of any shape.
Var exp(const Var& x);
Var log(const Var& x);

// The sum and the mean of all numbers of x; y: (1).  The mean of an empty x throws ShapeError.
Var sum(const Var& x);
Var mean(const Var& x);

// The sum and the mean over one axis of x: (N, D).  Over axis 0, the rows are added: y: (D).  Over
// axis 1, the numbers of each row are added: y: (N).  Throws ShapeError.
Var sum(const Var& x, Index axis);
Var mean(const Var& x, Index axis);

}}  // namespace tapehead::TAPEHEAD_PRECISION
