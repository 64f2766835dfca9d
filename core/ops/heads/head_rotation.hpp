// Rotary positions (Su et al. 2021): rotates the vectors of heads by angles that grow with the
// position. So a query's product with a key depends on their positions only through the difference.
#pragma once

#include "core/ops/heads/head_columns.hpp"
#include "core/sequence/segments.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The cosines and, in the columns after them, the sines of position · 10000^(-2 c / width) for c <
// width / 2 (section 3.2.2, equation 15). (positions, width); the width must be even.
Tensor rotations(Index positions, Index width);

// Rotates each pair of columns (c, c + width / 2) of each head by its angle. `table` comes from
// `rotations` and is a constant. The segments tile the rows; y: (N, heads * width). Throws
// ShapeError.
Var rotate_heads(const HeadColumns& x, const Tensor& table, const Segments& segments, Index heads,
                 Index width);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
