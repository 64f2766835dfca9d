// Softmax over the rows of a matrix, and its logarithm.
#pragma once

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y_nd = exp(x_nd) / Σ_k exp(x_nk).  x, y: (N, D).  Throws ShapeError.
Var softmax(const Var& x);

// y_nd = x_nd - ln Σ_k exp(x_nk).
Var log_softmax(const Var& x);

}}  // namespace tapehead::TAPEHEAD_PRECISION
