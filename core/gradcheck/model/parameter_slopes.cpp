#include "core/gradcheck/model/parameter_slopes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The rounding error of a loss that is a sum over tokens and layers, relative to the loss.
constexpr double loss_rounding = 4 * std::numeric_limits<Scalar>::epsilon();

// The parameter's root mean square; 1 if that is zero.
double typical_size(const Tensor& values) {
  double squares = 0;
  for (const Scalar x : values.values()) {
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  return squares > 0 ? std::sqrt(squares / static_cast<double>(values.size())) : 1;
}

void move_along(Tensor& values, const Tensor& centre, const Tensor& direction, double distance) {
  for (Index i = 0; i < values.size(); ++i) {
    values.data()[i] = centre.data()[i] + static_cast<Scalar>(distance) * direction.data()[i];
  }
}

}  // namespace

Rise ParameterSlopes::rise(const NamedParameter& parameter, const Move& move, double step) {
  Restored parameter_values(store_.value(parameter));
  move(parameter_values.values(), parameter_values.before(), step);
  const double up = loss_(nullptr);
  move(parameter_values.values(), parameter_values.before(), -step);
  const double down = loss_(nullptr);
  return {.up = (up - centre_) / step, .down = (centre_ - down) / step, .noise = noise(step)};
}

double ParameterSlopes::noise(double step) const {
  return loss_rounding * std::abs(centre_) / step;
}

Slope ParameterSlopes::search(const NamedParameter& parameter, const Move& move, double first_step,
                              double enough) {
  // A model has a kink for each ReLU of each token, so only noise may end the search.
  return slope_of([&](double step) { return rise(parameter, move, step); },
                  {.first_step = first_step,
                   .enough = [enough](double) { return enough; },
                   .noise_known = true});
}

Slope ParameterSlopes::quick(const NamedParameter& parameter, const Tensor& direction) {
  const auto move = [&](Tensor& values, const Tensor& centre, double distance) {
    move_along(values, centre, direction, distance);
  };
  const Rise at = rise(parameter, move, 2e-5 * typical_size(store_.value(parameter)));
  return {.value = (at.up + at.down) / 2, .error = at.noise};
}

Slope ParameterSlopes::along(const NamedParameter& parameter, const Tensor& direction,
                             double enough, double first_share) {
  const auto move = [&](Tensor& values, const Tensor& centre, double distance) {
    move_along(values, centre, direction, distance);
  };
  const double first_step = first_share * typical_size(store_.value(parameter));
  // The second step, a quarter of the first, has four times its rounding. More precision than that
  // cannot be had from a slope that is mostly rounding.
  return search(parameter, move, first_step, std::max(enough, 8 * noise(first_step)));
}

Slope ParameterSlopes::element(const NamedParameter& parameter, Index element, double enough) {
  const auto move = [element](Tensor& values, const Tensor& centre, double distance) {
    values.data()[element] = centre.data()[element] + static_cast<Scalar>(distance);
  };
  return search(parameter, move, 1e-3 * typical_size(store_.value(parameter)), enough);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
