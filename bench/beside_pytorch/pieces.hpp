// Functions of which there are two backward passes: one as it should be, and one that lacks a term.
#pragma once

#include "core/gradcheck/gradcheck.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

enum class Backward { right, wrong };

// y = softmax(x), row by row.  Wrong: dx = y ∘ dy, without the sum over the row.
GradcheckFunction softmax_with(Backward backward);

// y = (x - μ) / σ, row by row.  Wrong: dx = (dy - mean(dy)) / σ, as if σ were a constant.
GradcheckFunction normalize_with(Backward backward);

// y = gelu(x), in the tanh form.  Wrong: x³ differentiates to x².
GradcheckFunction gelu_with(Backward backward);

// y = softmax(q kᵀ / √d) v, where row n sees the keys 0 ... n.  Wrong: the backward pass makes the
// weights anew, and without the mask.
GradcheckFunction causal_attention_with(Backward backward);

}}  // namespace tapehead::TAPEHEAD_PRECISION
