// Compares a gradient with finite differences, element by element.

#include "core/gradcheck/differences.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The error of inconclusive differences, relative to the natural size of a slope: the largest of
// their errors. Away from kinks, an estimate is much better than its neighbours only by chance.
double doubt_of(const std::vector<Slope>& slopes, const Tolerance& tolerance) {
  double doubt = 0;
  for (const Slope& slope : slopes) {
    if (std::isfinite(slope.error) && natural_size(slope) > 0 && !tolerance.tells(slope)) {
      doubt = std::max(doubt, slope.error / natural_size(slope));
    }
  }
  return doubt;
}

// Whether gradient and slope differ although all that may be wrong with the differences is excused.
// `told`: whether the differences told the slope.
bool differs(const CheckedRun& checked, std::size_t input, Index element, const Slope& slope,
             bool told) {
  constexpr double far_below = 1e-3;
  const double gradient = checked.run.gradients[input].data()[element];
  const double size = std::max(std::abs(gradient), std::abs(slope.value));
  const double size_of_all = checked.size_of_all(input, element);
  Tolerance tolerance = tolerance_of(checked.subject.options);
  // A slope so far below the outputs may be what cancelling numbers have left.
  if (size < far_below * (size_of_all / static_cast<double>(checked.run.forward.size()))) {
    tolerance.relative = std::max(remainder_tolerance, tolerance.relative);
  }
  // The differences are at fault if the gradient, integrated over a longer path, is right, and both
  // gradient and slope are close to zero compared with the outputs. If the differences do not tell
  // the slope, the gradient only has to be as close to the slope.
  const double distance = told ? size : std::abs(gradient - slope.value);
  if (tolerance.agrees(gradient, slope)) {
    return false;
  }
  const bool excused = distance <= tolerance.absolute * size_of_all &&
                       gradient_adds_up(checked.subject, input, element);
  return !excused;
}

}  // namespace

Comparison compare(const CheckedRun& checked, Differences& differences, std::size_t input,
                   const std::function<void(Index element, const Column& column)>& look_at) {
  const Subject& subject = checked.subject;
  const Tensor& gradient = checked.run.gradients[input];
  const Tolerance tolerance = tolerance_of(subject.options);
  Comparison result{.shape = gradient.shape()};
  for (Index i = 0; i < gradient.size(); ++i) {
    const double analytic = gradient.data()[i];
    result.at.push_back(subject.inputs[input].data()[i]);
    result.analytic.push_back(analytic);
    result.numeric.push_back(differences.element(input, i, analytic));
    look_at(i, differences.last_column());
  }
  const double doubt = doubt_of(result.numeric, tolerance);
  for (Index i = 0; i < gradient.size(); ++i) {
    Slope& slope = result.numeric[static_cast<std::size_t>(i)];
    slope.error = std::max(slope.error, doubt * natural_size(slope));
    const bool told = tolerance.tells(slope);
    if (!tolerance.agrees(result.a(i), slope)) {
      // Noise is no excuse if the nearby gradients are only noise but the slope is large and known,
      // as beside a removable singularity.
      const double noise = checked.rounding(input).data()[i];
      const double size = std::abs(slope.value);
      const bool noise_alone = told && noise > size && size > checked.output_rounding(input, i);
      // The gradient's own rounding is excused, like the rounding of the differences.
      const double excused = noise_alone ? 0 : noise;
      slope.error = std::max(slope.error, excused / doubt_share);
      slope.noise = std::max(slope.noise, excused);
    }
    result.differs.push_back(differs(checked, input, i, slope, told));
  }
  return result;
}

Index worst_of(const Comparison& c, const GradcheckOptions& options, bool sure) {
  const auto certain = [&](Index i) {
    const Slope& slope = c.slope(i);
    const bool between = slope.kink && c.a(i) >= std::min(slope.left, slope.right) - slope.error &&
                         c.a(i) <= std::max(slope.left, slope.right) + slope.error;
    const bool near = std::abs(c.a(i) - slope.value) <= doubt_share * slope.error;
    return !std::isfinite(c.a(i)) || !(between || near);
  };
  Index worst = -1;
  double most = -1;
  for (Index i = 0; i < c.size(); ++i) {
    if (!c.wrong(i) || (sure && !certain(i))) {
      continue;
    }
    if (!std::isfinite(c.a(i))) {
      return i;
    }
    const double distance = std::abs(c.a(i) - c.n(i));
    const double excess =
        distance > 0 ? distance / tolerance_of(options).allowed(c.a(i), c.slope(i)) : 0;
    if (excess > most || worst < 0) {
      worst = i;
      most = excess;
    }
  }
  return worst;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
