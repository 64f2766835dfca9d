// Ops that join matrices or sequences, or take parts of matrices.
#pragma once

#include "core/sequence/batch.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Stacks matrices of the same width (axis 0), or puts matrices of the same height side by side
// (axis 1).  Expects at least one matrix.  Throws ShapeError.
Var concatenate(std::span<const Var> pieces, Index axis);
inline Var concatenate(std::initializer_list<Var> pieces, Index axis) {
  return concatenate(std::span(pieces.begin(), pieces.size()), axis);
}

// Rows (axis 0) or columns (axis 1) begin ... end - 1 of x: (N, D).  Throws ShapeError.
Var slice(const Var& x, Index axis, Index begin, Index end);

// For each sequence: its rows of `before`, then its rows of `after`.  before: (M, D), tiled by
// before_segments; after: (N, D), tiled by after_segments; y: (M + N, D), tiled by joined() of the
// two.  Throws ShapeError.
Var join_sequences(const Var& before, const Segments& before_segments, const Var& after,
                   const Segments& after_segments);

// y[i] = x[rows[i]].  x: (N, D), rows: M numbers, increasing; y: (M, D).  Throws ShapeError.
Var select_rows(const Var& x, std::span<const Index> rows);

}}  // namespace tapehead::TAPEHEAD_PRECISION
