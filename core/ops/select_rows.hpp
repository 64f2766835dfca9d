// Some rows of a matrix.
#pragma once

#include <span>

#include "core/tape/tape.hpp"
#include "core/types.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y[i] = x[rows[i]].  x: (N, D), rows: M of them, increasing; y: (M, D).  Throws ShapeError.
Var select_rows(const Var& x, std::span<const Index> rows);

}}  // namespace tapehead::TAPEHEAD_PRECISION
