// Embeddings of tokens and of positions.
#pragma once

#include "core/sequence/batch.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y[n] = scale table[ids[n]].  table: (V, D), ids: N of them; y: (N, D).  Throws ShapeError for an
// id outside 0 ... V - 1.
Var lookup(const Var& table, std::span<const TokenId> ids, Scalar scale = 1);

// y[n] = x[n] + scale table[position of row n].  x: (N, D) tiled by the segments, table: (P, D);
// y: (N, D). Throws ShapeError for a position outside 0 ... P - 1.
Var add_positions(const Var& x, const Var& table, const Segments& segments, Scalar scale = 1);

// The table of Vaswani et al. 2017, section 3.5: table[p][2i] = sin(a) and table[p][2i+1] = cos(a)
// with a = p / 10000^(2i/D).
Tensor sinusoidal_positions(Index positions, Index D);

}}  // namespace tapehead::TAPEHEAD_PRECISION
