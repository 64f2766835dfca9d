// Multiplies the vectors of heads by factors: one factor for each head, or 0 for heads that are
// dropped. Also sums the weighted heads.
#pragma once

#include "core/ops/heads/head_columns.hpp"
#include "core/random/keep_bits.hpp"
#include "core/sequence/segments.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// x holds `heads` heads of `width` columns. All these ops throw ShapeError.

// y_h = factors[h] x_h. factors: (heads); y: (N, heads * width).
Var scale_heads(const HeadColumns& x, const Var& factors, Index heads, Index width);

// Drops whole heads, the same ones in all rows of a sequence, and scales the others up (Zhou et al.
// 2020, section 2.2). A draw is addressed by the sequence's first row and the head. The segments
// tile the rows; y: (N, heads * width).
Var drop_heads(const HeadColumns& x, const Segments& segments, Index heads, Index width,
               const Dropout& dropout);

// y = Σ_h weights[h] x_h. weights: (heads); y: (N, width).
Var sum_heads(const HeadColumns& x, const Var& weights, Index heads, Index width);

}}  // namespace tapehead::TAPEHEAD_PRECISION
