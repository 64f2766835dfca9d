#include "core/gradcheck/checks.hpp"

#include <algorithm>
#include <cmath>

#include "core/gradcheck/differences.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// A random direction with the signs of the gradient, so that its parts do not cancel: the slope
// along it is small only if the gradient is. Each element moves in proportion to its own size.
Tensor direction_for(const Tensor& input, const Tensor& gradient, std::uint64_t seed) {
  Tensor direction = uneven(gradient.shape(), seed);
  const double largest = magnitude(input);
  for (Index i = 0; i < direction.size(); ++i) {
    const Scalar x = std::abs(input.data()[i]);
    direction.data()[i] *= x > 0 ? x : largest;
    if (gradient.data()[i] != 0) {
      direction.data()[i] = std::copysign(direction.data()[i], gradient.data()[i]);
    }
  }
  return direction;
}

// How far a gradient moves when the last bits of inputs and cotangent change. The remainder of sums
// that cancel, such as those over attention weights of similar keys, may be nothing but rounding.
double rounding_along(const Subject& subject, std::size_t input, const Tensor& direction,
                      double along) {
  constexpr std::uint64_t trials = 16;  // many: a rounded number may stay the same
  double most = 0;
  for (std::uint64_t trial = 1; trial <= trials; ++trial) {
    const std::vector<Tensor> nearby = nearby_gradients(subject, subject.options.seed + trial);
    if (!nearby.empty()) {
      most = std::max(most, std::abs(sum_of_products(direction, nearby[input]) - along));
    }
  }
  return most;
}

}  // namespace

std::optional<Finding> check_directions(const Subject& subject, const Run& run) {
  Differences differences(subject);
  const double share = std::max(1e-4, subject.options.relative_tolerance);
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const Tensor& gradient = run.gradients[k];
    const Tensor direction =
        direction_for(subject.inputs[k], gradient, subject.options.seed + 77 + k);
    const double along = sum_of_products(direction, gradient);  // no part is negative
    const Slope slope = differences.along(k, direction, along);
    const double distance = std::abs(along - slope.value);
    if (!slope.kink && distance > share * std::max(along, std::abs(slope.value)) &&
        distance > 1000 * slope.error &&
        distance > 1000 * rounding_along(subject, k, direction, along)) {
      Finding finding =
          subject.found(Verdict::wrong, k, -1,
                        "right for the inputs that were given; the numbers are slopes along a "
                        "random direction, which has the gradient's signs");
      finding.compared = true;
      finding.analytic = along;
      finding.numeric = slope.value;
      finding.numeric_error = slope.error;
      return finding;
    }
  }
  return {};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
