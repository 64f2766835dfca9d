// A linear map with a weight for each head.
#pragma once

#include "core/ops/heads/head_columns.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y_h = x_h W_hᵀ + b_h: head h sees only its own `in` columns of x. weight: (heads * out, in), one
// matrix after the other, or (out, in), one for all heads; bias: as many numbers as the weight has
// rows, or none; y: (N, heads * out). Throws ShapeError.
Var head_linear(const HeadColumns& x, const Var& weight, Index heads, Index out,
                const std::optional<Var>& bias = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
