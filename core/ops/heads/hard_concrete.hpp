// Gates that training can close for good: the hard concrete distribution (Louizos et al. 2018), a
// number between 0 and 1 that is exactly 0, or exactly 1, with a probability that has a gradient.
#pragma once

#include "core/random/draws.hpp"
#include "core/tape/tape.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// In all of them log_alpha: (H), one number for each gate, the larger the more open. With σ the
// logistic function, γ = -0.1, ζ = 1.1 and β = 2/3 (Louizos et al. 2018, section 4.1). They throw
// ShapeError.

// z = min(1, max(0, (ζ - γ) σ((log u - log(1 - u) + log_alpha) / β) + γ)), u uniform in (0, 1),
// drawn at the number of the gate (equations 10 and 11); z: (H).
Var draw_gates(const Var& log_alpha, const Draws& draws);

// What stands for the draws where nothing is drawn: min(1, max(0, (ζ - γ) σ(log_alpha) + γ))
// (equation 13); (H). Closed, exactly 0, where log_alpha is at most -log 11.
Var settled_gates(const Var& log_alpha);

// How many gates are expected to be open: Σ_h P(z_h > 0) = Σ_h σ(log_alpha_h - β log(-γ / ζ))
// (equation 12); (1).
Var open_gates(const Var& log_alpha);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
