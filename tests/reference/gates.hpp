// Hard concrete gates by their formulas (Louizos et al. 2018): γ = -0.1, ζ = 1.1, β = 2/3.
#pragma once

#include "tests/reference/array.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace reference {

// min(1, max(0, (ζ - γ) σ(log_alpha) + γ)) (equation 13)
inline Array settled_gates(const Array& log_alpha) {
  return xt::clip(1.2 * logistic(log_alpha) - 0.1, 0.0, 1.0);
}

// settled_gates of (log u - log(1 - u) + log_alpha) / β (equations 10 and 11)
inline Array drawn_gates(const Array& log_alpha, const Array& u) {
  return settled_gates((xt::log(u) - xt::log(1 - u) + log_alpha) * 1.5);
}

// Σ σ(log_alpha - β log(-γ / ζ)) (equation 12)
inline Array open_gates(const Array& log_alpha) {
  return xt::sum(logistic(log_alpha - 2.0 / 3 * std::log(0.1 / 1.1)));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::reference
