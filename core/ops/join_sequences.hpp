// Joins the rows of two batches of sequences, sequence by sequence.
#pragma once

#include "core/sequence/segments.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// For each sequence, its rows of `before` and then those of `after`.  before: (M, D) tiled by its
// segments, after: (N, D) tiled by its own; y: (M + N, D), tiled by joined() of both.  Throws
// ShapeError.
Var join_sequences(const Var& before, const Segments& before_segments, const Var& after,
                   const Segments& after_segments);

}}  // namespace tapehead::TAPEHEAD_PRECISION
