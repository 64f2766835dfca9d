// Arithmetic ops that work element by element.
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
