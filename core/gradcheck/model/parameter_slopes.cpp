#include "core/gradcheck/model/parameter_slopes.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

ParameterSlopes::ParameterSlopes(const LossAndGradients& loss, double centre, Tensor parameter)
    : loss_(loss),
      centre_(centre),
      parameter_(std::move(parameter)),
      noise_(4 * std::numeric_limits<Scalar>::epsilon() * std::abs(centre)) {
  double squares = 0;
  for (const Scalar x : parameter_.values()) {
    squares += x * x;
  }
  size_ = squares > 0 ? std::sqrt(squares / static_cast<double>(parameter_.size())) : 1;
}

Rise ParameterSlopes::rise(const Tensor& direction, double step) const {
  Restored parameter(parameter_);
  const auto loss_at = [&](double distance) {
    for (Index i = 0; i < direction.size(); ++i) {
      parameter.values().data()[i] = parameter.before().data()[i] + distance * direction.data()[i];
    }
    return loss_(nullptr);
  };
  const double up = loss_at(step);
  const double down = loss_at(-step);
  return {.up = (up - centre_) / step, .down = (centre_ - down) / step, .noise = noise_ / step};
}

Slope ParameterSlopes::quick(const Tensor& direction) const {
  const Rise at = rise(direction, 2e-5 * size_);
  return {.value = (at.up + at.down) / 2, .error = at.noise};
}

Slope ParameterSlopes::along(const Tensor& direction, double enough, double first_share) const {
  const double first_step = first_share * size_;
  // The second step, a quarter of the first, has four times its rounding. More precision than that
  // cannot be had from a slope that is mostly rounding.
  const double least = std::max(enough, 8 * noise_ / first_step);
  // A model has a kink for each ReLU of each token, so only noise may end the search.
  return slope_of(
      [&](double step) { return rise(direction, step); },
      {.first_step = first_step, .enough = [least](double) { return least; }, .noise_known = true});
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
