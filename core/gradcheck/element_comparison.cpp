// Compares a gradient with finite differences, element by element.

#include "core/gradcheck/differences.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void HiddenOutputs::look_at(std::size_t input, Index element, const Column& column) {
  constexpr double far_below = 1e-3;
  double largest = 0;
  for (std::size_t o = 0; o < column.value.size(); ++o) {
    largest = std::max(largest, std::abs(column.value[o] * subject_.cotangent.data()[o]));
  }
  for (std::size_t o = 0; o < column.value.size(); ++o) {
    const double weight = subject_.cotangent.data()[o];
    const double slope = weight * column.value[o];
    const double error = std::abs(weight) * column.error[o];
    if (std::abs(slope) < far_below * largest && std::abs(slope) > doubt_share * error) {
      small_.push_back({.output = static_cast<Index>(o),
                        .input = input,
                        .element = element,
                        .slope = slope,
                        .error = error});
    }
  }
}

std::vector<Index> HiddenOutputs::suspects() const {
  std::map<Index, std::vector<Small>> by_output;
  for (const Small& small : small_) {
    by_output[small.output].push_back(small);
  }
  // The tolerance of a second check, because this first check takes fewer steps.
  const double relative =
      doubt_share * std::max(remainder_tolerance, subject_.options.relative_tolerance);
  std::vector<Index> result;
  for (const auto& [output, slopes] : by_output) {
    const std::vector<Tensor> gradients = run(with_output_alone(subject_, output)).gradients;
    const auto wrong = [&](const Small& small) {
      const double gradient = gradients[small.input].data()[small.element];
      const double allowed = doubt_share * small.error +
                             relative * std::max(std::abs(gradient), std::abs(small.slope));
      return !(std::abs(gradient - small.slope) <= allowed);
    };
    if (std::ranges::any_of(slopes, wrong)) {
      result.push_back(output);
    }
  }
  return result;
}

Subject with_output_alone(const Subject& subject, Index output) {
  Subject result = subject;
  result.cotangent = Tensor::zeros(subject.cotangent.shape());
  result.cotangent.data()[output] = subject.cotangent.data()[output];
  result.probe += fmt::format(
      "{}with the gradient of the output's {} alone, which larger ones hide",
      subject.probe.empty() ? "" : ", ", element_name(output, subject.cotangent.shape()));
  return result;
}

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

// Whether a slope is so far below the outputs that cancelling numbers may have left it.
bool may_be_remainder(const Subject& subject, const Run& run, std::size_t input, Index element,
                      const Slope& slope) {
  constexpr double far_below = 1e-3;
  const auto outputs = static_cast<double>(run.forward.size());
  const double size = size_of_all(subject, run.forward, input, element) / outputs;
  const double gradient = run.gradients[input].data()[element];
  return std::max(std::abs(gradient), std::abs(slope.value)) < far_below * size;
}

// Whether the differences are at fault. The gradient, integrated over a longer path, is right, and
// both gradient and slope are close to zero compared with the outputs. If the differences do not
// tell the slope, it is enough that the gradient and the slope are as close to each other.
bool is_excused(const Subject& subject, const Run& run, std::size_t input, Index element,
                const Slope& slope, bool told) {
  const double gradient = run.gradients[input].data()[element];
  const double distance =
      told ? std::max(std::abs(gradient), std::abs(slope.value)) : std::abs(gradient - slope.value);
  const double size = size_of_all(subject, run.forward, input, element);
  return distance <= subject.options.absolute_tolerance * size &&
         gradient_adds_up(subject, input, element);
}

}  // namespace

Comparison compare(const Subject& subject, Differences& differences, std::size_t input,
                   const Run& run, const GradientRounding& rounding, HiddenOutputs& hidden) {
  const Tensor& gradient = run.gradients[input];
  const Tolerance tolerance = tolerance_of(subject.options);
  Comparison result{.shape = gradient.shape()};
  for (Index i = 0; i < gradient.size(); ++i) {
    const double analytic = gradient.data()[i];
    result.at.push_back(subject.inputs[input].data()[i]);
    result.analytic.push_back(analytic);
    result.numeric.push_back(differences.element(input, i, analytic));
    hidden.look_at(input, i, differences.last_column());
  }
  const double doubt = doubt_of(result.numeric, tolerance);
  for (Index i = 0; i < gradient.size(); ++i) {
    Slope& slope = result.numeric[static_cast<std::size_t>(i)];
    slope.error = std::max(slope.error, doubt * natural_size(slope));
    const bool told = tolerance.tells(slope);
    if (!tolerance.agrees(result.a(i), slope)) {
      // Noise is no excuse if the nearby gradients are only noise but the slope is large and known,
      // as beside a removable singularity.
      const double noise = rounding.of(input).data()[i];
      const double size = std::abs(slope.value);
      const bool noise_alone =
          told && noise > size && size > output_rounding(subject, run.forward, input, i);
      // The gradient's own rounding is excused, like the rounding of the differences.
      const double excused = noise_alone ? 0 : noise;
      slope.error = std::max(slope.error, excused / doubt_share);
      slope.noise = std::max(slope.noise, excused);
    }
    Tolerance wide = tolerance;
    if (may_be_remainder(subject, run, input, i, slope)) {
      wide.relative = std::max(remainder_tolerance, tolerance.relative);
    }
    result.differs.push_back(!wide.agrees(result.a(i), slope) &&
                             !is_excused(subject, run, input, i, slope, told));
  }
  return result;
}

Index worst_of(const Comparison& c, const GradcheckOptions& options) {
  Index worst = -1;
  double most = -1;
  for (Index i = 0; i < c.size(); ++i) {
    if (!c.wrong(i)) {
      continue;
    }
    if (!std::isfinite(c.a(i))) {
      return i;
    }
    const double distance = std::abs(c.a(i) - c.n(i));
    const Slope& slope = c.numeric[static_cast<std::size_t>(i)];
    const double excess =
        distance > 0 ? distance / tolerance_of(options).allowed(c.a(i), slope) : 0;
    if (excess > most || worst < 0) {
      worst = i;
      most = excess;
    }
  }
  return worst;
}

Index worst_sure(const Comparison& c, const GradcheckOptions& options) {
  Comparison sure = c;
  for (Index i = 0; i < c.size(); ++i) {
    const Slope& slope = c.numeric[static_cast<std::size_t>(i)];
    const bool between = slope.kink && c.a(i) >= std::min(slope.left, slope.right) - slope.error &&
                         c.a(i) <= std::max(slope.left, slope.right) + slope.error;
    const bool near = std::abs(c.a(i) - slope.value) <= doubt_share * slope.error;
    if (std::isfinite(c.a(i)) && (between || near)) {
      sure.differs[static_cast<std::size_t>(i)] = false;
    }
  }
  return worst_of(sure, options);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
