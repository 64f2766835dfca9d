// Rotates the vectors of heads by rotary positions (Su et al. 2021), and scales them to one length.
#pragma once

#include "core/choices.hpp"
#include "core/ops/heads/head_columns.hpp"
#include "core/sequence/batch.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The cosines, then the sines, of position · base^(-2 c / width) for c < width / 2 (section 3.2.2,
// equation 15, with base 10000). y: (positions, width); the width must be even. Angles are
// proportional to positions, so the product of query and key depends only on their distance.
Tensor rotations(Index positions, Index width, double base = 10000);

// Rotates each pair of columns of each head by its angle. Pair c is the columns c and c + width / 2
// (halves) or 2 c and 2 c + 1 (interleaved, equation 15). `table` comes from `rotations` and is a
// constant. The segments tile the rows; positions above `last` use the angles of `last`. y: (N,
// heads * width). Throws ShapeError.
Var rotate_heads(const HeadColumns& x, const Tensor& table, const Segments& segments, Index heads,
                 Index width, RotaryPairs pairs = RotaryPairs::halves,
                 Index last = std::numeric_limits<Index>::max());

// y_h = √width x_h / sqrt(|x_h|² + epsilon), so that products are width times a cosine. √width is
// the length of a vector whose numbers have variance one. y: (N, heads * width). Throws ShapeError.
Var normalize_heads(const HeadColumns& x, Index heads, Index width,
                    Scalar epsilon = static_cast<Scalar>(1e-12));

}}  // namespace tapehead::TAPEHEAD_PRECISION
