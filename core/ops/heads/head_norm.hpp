// Scales the vectors of heads to the same length, so that their products are cosines.
#pragma once

#include "core/ops/heads/head_columns.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y_h = √width x_h / sqrt(|x_h|² + epsilon), which is the length of vectors whose numbers have
// variance one. y: (N, heads * width). Throws ShapeError.
Var normalize_heads(const HeadColumns& x, Index heads, Index width,
                    Scalar epsilon = static_cast<Scalar>(1e-12));

}}  // namespace tapehead::TAPEHEAD_PRECISION
