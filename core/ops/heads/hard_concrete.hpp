// Gates that training can close completely: the hard concrete distribution (Louizos et al. 2018). A
// gate is a number between 0 and 1. It is exactly 0, or exactly 1, with a probability that has a
// gradient.
#pragma once

#include "core/random/draws.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// log_alpha: (H), one number for each gate; the larger it is, the more open the gate. σ is the
// logistic function, γ = -0.1, ζ = 1.1 and β = 2/3 (Louizos et al. 2018, section 4.1). All these
// ops throw ShapeError.

// z = min(1, max(0, (ζ - γ) σ((log u - log(1 - u) + log_alpha) / β) + γ)), u uniform in (0, 1),
// drawn at the number of the gate (equations 10 and 11); z: (H).
Var draw_gates(const Var& log_alpha, const Draws& draws);

// The gates without random draws: min(1, max(0, (ζ - γ) σ(log_alpha) + γ)) (equation 13); (H). A
// gate is closed, exactly 0, if its log_alpha is at most -log 11.
Var settled_gates(const Var& log_alpha);

// The expected number of open gates: Σ_h P(z_h > 0) = Σ_h σ(log_alpha_h - β log(-γ / ζ)) (equation
// 12); (1).
Var open_gates(const Var& log_alpha);

}}  // namespace tapehead::TAPEHEAD_PRECISION
