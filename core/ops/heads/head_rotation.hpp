// Rotary positions (Su et al. 2021): heads' vectors turned by angles that grow with the position,
// so that a query's product with a key depends on their positions by the difference alone.
#pragma once

#include "core/ops/heads/head_columns.hpp"
#include "core/sequence/segments.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The cosines and, behind them, the sines of position · 10000^(-2 c / width) for c < width / 2
// (section 3.2.2, equation 15). (positions, width); the width must be even.
Tensor rotations(Index positions, Index width);

// Turns each pair of columns (c, c + width / 2) of each head by its angle; `table` is that of
// `rotations`, a constant. The segments tile the rows; y: (N, heads * width). Throws ShapeError.
Var rotate_heads(const HeadColumns& x, const Tensor& table, const Segments& segments, Index heads,
                 Index width);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
