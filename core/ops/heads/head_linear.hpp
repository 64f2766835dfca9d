// Ops that map or scale the vectors of attention heads: a weight matrix per head, a factor per
// head, dropout of whole heads, and gates that training can close (Louizos et al. 2018).
#pragma once

#include "core/ops/heads/head_columns.hpp"
#include "core/product/product_unit.hpp"
#include "core/random/draws.hpp"
#include "core/random/keep_bits.hpp"
#include "core/sequence/batch.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y_h = x_h W_hᵀ + b_h: head h sees only its own `in` columns of x. weight: (heads * out, in), one
// matrix below the other, or (out, in), shared by all heads; bias: a number per row of the weight,
// or absent; y: (N, heads * out). With `precision` bfloat16, the factors of these products and of
// those for the gradients are rounded. Throws ShapeError.
Var head_linear(const HeadColumns& x, const Var& weight, Index heads, Index out,
                const std::optional<Var>& bias = {}, Precision precision = Precision::float32);

// The hard concrete distribution (Louizos et al. 2018, section 4.1): a gate is a number from 0 to
// 1. The probabilities that it is exactly 0 or exactly 1 have a gradient. log_alpha: (H), one
// number per gate; a larger number opens the gate more. σ is the logistic function, γ = -0.1, ζ =
// 1.1 and β = 2/3. These ops throw ShapeError.

// z = min(1, max(0, (ζ - γ) σ((log u - log(1 - u) + log_alpha) / β) + γ)) (equations 10 and 11); z:
// (H). u is uniform in (0, 1); the draw is addressed by the gate's number.
Var draw_gates(const Var& log_alpha, const Draws& draws);

// The gates without random draws: z = min(1, max(0, (ζ - γ) σ(log_alpha) + γ)) (equation 13); z:
// (H). A gate is closed (exactly 0) if its log_alpha is at most -log 11.
Var settled_gates(const Var& log_alpha);

// The expected number of open gates: Σ_h P(z_h > 0) = Σ_h σ(log_alpha_h - β log(-γ / ζ)) (equation
// 12); (1).
Var open_gates(const Var& log_alpha);

// In these ops x holds `heads` heads of `width` columns. All throw ShapeError.

// y_h = factors[h] x_h. factors: (heads); y: (N, heads * width).
Var scale_heads(const HeadColumns& x, const Var& factors, Index heads, Index width);

// Drops whole heads and scales the kept heads up (Zhou et al. 2020, section 2.2). All rows of a
// sequence drop the same heads: a draw is addressed by the sequence's first row and the head. The
// segments tile the rows; y: (N, heads * width).
Var drop_heads(const HeadColumns& x, const Segments& segments, Index heads, Index width,
               const Dropout& dropout);

// y = Σ_h weights[h] x_h. weights: (heads); y: (N, width).
Var sum_heads(const HeadColumns& x, const Var& weights, Index heads, Index width);

}}  // namespace tapehead::TAPEHEAD_PRECISION
