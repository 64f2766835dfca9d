#include "core/gradcheck/slopes/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead {

double natural_size(const Slope& slope) {
  return slope.noise * first_step_share / std::numeric_limits<double>::epsilon();
}

double Tolerance::allowed(double gradient, const Slope& slope) const {
  return relative * std::max(std::abs(gradient), std::abs(slope.value)) +
         std::min(doubt_share * slope.error, absolute * natural_size(slope));
}

bool Tolerance::agrees(double gradient, const Slope& slope) const {
  return !slope.kink && std::isfinite(gradient) &&
         std::abs(gradient - slope.value) <= allowed(gradient, slope);
}

bool Tolerance::tells(const Slope& slope) const {
  return !slope.kink && slope.error <= relative * std::abs(slope.value);
}

}  // namespace tapehead
