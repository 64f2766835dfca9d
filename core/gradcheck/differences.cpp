#include "core/gradcheck/differences.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// The largest magnitude among an input's numbers; 1 where all are zero.
double magnitude(const Tensor& input) {
  double largest = 0;
  for (const Scalar x : input.values()) {
    largest = std::max(largest, std::abs(static_cast<double>(x)));
  }
  return largest > 0 ? largest : 1;
}

}  // namespace

Differences::Differences(const Subject& subject)
    : subject_(subject), at_(copies(subject.inputs)), centre_(value().copy()) {}

Tensor Differences::value() const {
  try {
    return subject_.value(at_);
  } catch (const std::exception&) {
    return Tensor::full(subject_.cotangent.shape(), std::numeric_limits<Scalar>::quiet_NaN());
  }
}

// A thousandth of the input's magnitude: small enough for the extrapolation to end after two or
// three steps, large enough for them to carry twelve digits.
double Differences::first_step(std::size_t input, double at) const {
  return 1e-3 * std::max(std::abs(at), std::min(1.0, magnitude(subject_.inputs[input])));
}

Slope Differences::search(const std::function<void(double distance)>& move, double first_step) {
  constexpr double rounding = std::numeric_limits<Scalar>::epsilon();
  const auto rise = [&](double step) {
    move(step);
    const Tensor up = value().copy();  // a copy: a value may be a view of an input
    move(-step);
    const Tensor down = value();
    Rise sum;
    // Differences come before the sum: outputs that do not see x add no rounding error.
    for (Index i = 0; i < up.size(); ++i) {
      const double weight = subject_.cotangent.data()[i];
      const double centre = centre_.data()[i];
      sum.up += weight * (up.data()[i] - centre);
      sum.down += weight * (centre - down.data()[i]);
      if (up.data()[i] != down.data()[i]) {
        sum.noise += rounding * std::abs(weight * centre);
      }
    }
    return Rise{.up = sum.up / step, .down = sum.down / step, .noise = sum.noise / step};
  };
  const auto enough = [this](double at) {
    return 0.1 * (subject_.options.absolute_tolerance +
                  subject_.options.relative_tolerance * std::abs(at));
  };
  const Slope slope = slope_of(rise, {.first_step = first_step, .enough = enough});
  move(0);
  return slope;
}

Slope Differences::element(std::size_t input, Index element) {
  Scalar& x = at_[input].data()[element];
  const Scalar centre = x;
  // A power of two: x ± step is then exact for all but large ratios of the two, and so is the
  // distance.
  const double step = std::exp2(std::round(std::log2(first_step(input, centre))));
  return search([&](double distance) { x = centre + distance; }, step);
}

Slope Differences::along(std::size_t input, const Tensor& direction) {
  Tensor& at = at_[input];
  const Tensor& centre = subject_.inputs[input];
  const auto move = [&](double distance) {
    for (Index i = 0; i < at.size(); ++i) {
      at.data()[i] = centre.data()[i] + distance * direction.data()[i];
    }
  };
  return search(move, first_step(input, 0) / magnitude(direction));
}

Tensor Differences::column(std::size_t input, Index element) {
  Scalar& x = at_[input].data()[element];
  const Scalar centre = x;
  const double step = std::exp2(std::round(std::log2(1e-2 * first_step(input, centre))));
  x = centre + step;
  Tensor up = value().copy();
  x = centre - step;
  const Tensor down = value();
  x = centre;
  for (Index i = 0; i < up.size(); ++i) {
    up.data()[i] = (up.data()[i] - down.data()[i]) / (2 * step);
  }
  return up;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
