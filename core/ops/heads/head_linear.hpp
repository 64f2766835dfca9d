// Linear maps of the vectors of attention heads: a weight for each head; a factor for each, 0 for
// heads that are dropped; and gates that training can close (Louizos et al. 2018).
#pragma once

#include "core/ops/heads/head_columns.hpp"
#include "core/random/draws.hpp"
#include "core/random/keep_bits.hpp"
#include "core/sequence/batch.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y_h = x_h W_hᵀ + b_h: head h sees only its own `in` columns of x. weight: (heads * out, in), one
// matrix after the other, or (out, in), one for all heads; bias: as many numbers as the weight has
// rows, or none; y: (N, heads * out). Throws ShapeError.
Var head_linear(const HeadColumns& x, const Var& weight, Index heads, Index out,
                const std::optional<Var>& bias = {});

// The hard concrete distribution: a gate is a number between 0 and 1, and exactly 0, or exactly 1,
// with a probability that has a gradient. log_alpha: (H), one number for each gate; the larger it
// is, the more open the gate. σ is the logistic function, γ = -0.1, ζ = 1.1 and β = 2/3 (Louizos et
// al. 2018, section 4.1). All these ops throw ShapeError.

// z = min(1, max(0, (ζ - γ) σ((log u - log(1 - u) + log_alpha) / β) + γ)), u uniform in (0, 1),
// drawn at the number of the gate (equations 10 and 11); z: (H).
Var draw_gates(const Var& log_alpha, const Draws& draws);

// The gates without random draws: min(1, max(0, (ζ - γ) σ(log_alpha) + γ)) (equation 13); (H). A
// gate is closed, exactly 0, if its log_alpha is at most -log 11.
Var settled_gates(const Var& log_alpha);

// The expected number of open gates: Σ_h P(z_h > 0) = Σ_h σ(log_alpha_h - β log(-γ / ζ)) (equation
// 12); (1).
Var open_gates(const Var& log_alpha);

// In these ops x holds `heads` heads of `width` columns. All throw ShapeError.

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
