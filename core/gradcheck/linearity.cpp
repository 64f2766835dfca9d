#include "core/gradcheck/checks.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Whether an element of the output belongs to the first of two parts. Some rows belong to one part
// as a whole, and are 0 in the other; of some every second element does.
bool in_first_part(Index element, const Shape& output) {
  const Index row = output.rank() > 1 ? element / (output.size() / output[0]) : 0;
  return row % 3 == 0 ? element % 2 == 0 : row % 3 == 1;
}

// A run whose cotangent is multiplied by a factor for each element.
Run run_with(const Subject& subject, const std::function<double(Index)>& factor) {
  Subject other = subject;
  other.cotangent = subject.cotangent.copy();
  for (Index i = 0; i < other.cotangent.size(); ++i) {
    other.cotangent.data()[i] *= factor(i);
  }
  return run(other);
}

// The sum of two gradients of one input; NaN where one is. What differs from the gradient for both
// parts by less than rounding of the outputs can is that gradient: beside a sum of parts that
// cancel, such as dy - Σ y dy of a softmax that is nearly 1, the perturbed sums may all be 0.
Tensor sum_of_parts(const Subject& subject, const Run& both, const Run& part, const Run& rest,
                    std::size_t input) {
  Tensor sum = sum_of(part.gradients[input], rest.gradients[input]);
  for (Index i = 0; i < sum.size(); ++i) {
    const Scalar expected = both.gradients[input].data()[i];
    const double distance = std::abs(sum.data()[i] - expected);
    if (distance > 0 && distance <= output_rounding(subject, both.forward, input, i)) {
      sum.data()[i] = expected;
    }
  }
  return sum;
}

std::optional<Finding> check_parts(const Subject& subject, const Run& first,
                                   const GradientRounding& rounding) {
  const Shape& output = subject.cotangent.shape();
  const Run part = run_with(subject, [&](Index i) { return in_first_part(i, output) ? 1 : 0; });
  const Run rest = run_with(subject, [&](Index i) { return in_first_part(i, output) ? 0 : 1; });
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const Tensor& gradient = first.gradients[k];
    const Tensor sum = sum_of_parts(subject, first, part, rest, k);
    for (Index i = 0; i < sum.size(); ++i) {
      if (!std::isfinite(sum.data()[i]) && std::isfinite(gradient.data()[i])) {
        return subject.found(Verdict::not_finite, k, i,
                             "0/0, or memory that was never written, as where rows are skipped "
                             "because their dL/dy is 0");
      }
    }
    if (const Index i = rounding.first_difference(gradient, sum, {k}); i >= 0) {
      return subject.found(
          Verdict::wrong, k, i,
          fmt::format("not linear in dL/dy: the gradient is {:.6g}, but {:.6g} where dL/dy is 0 in "
                      "one part, and {:.6g} where it is 0 in the rest: these should add up",
                      gradient.data()[i], part.gradients[k].data()[i],
                      rest.gradients[k].data()[i]));
    }
  }
  return {};
}

constexpr double multiple_factor = -1024;  // a power of two changes no rounding

std::optional<Finding> check_multiple(const Subject& subject, const Run& first,
                                      const GradientRounding& rounding) {
  const Run multiple = run_with(subject, [](Index) { return multiple_factor; });
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const auto divided = [](Scalar x, Scalar expected) {  // infinite beyond the largest number
      return std::isfinite(x) ? x / multiple_factor : expected;
    };
    const Tensor once = by_element(divided, multiple.gradients[k], first.gradients[k]);
    if (const Index i = rounding.first_difference(first.gradients[k], once, {k}); i >= 0) {
      return subject.found(
          Verdict::wrong, k, i,
          fmt::format("not linear in dL/dy: the gradient is {:.6g}, and {:.6g} is not {} times as "
                      "much: an absolute value, a limit or a threshold?",
                      first.gradients[k].data()[i], multiple.gradients[k].data()[i],
                      multiple_factor));
    }
  }
  return {};
}

}  // namespace

std::optional<Finding> check_linearity(const Subject& subject, const Run& first,
                                       const GradientRounding& rounding) {
  Subject probed = subject;
  try {
    probed.probe = "where elements of dL/dy are 0";
    if (auto finding = check_parts(probed, first, rounding)) {
      return finding;
    }
    probed.probe = fmt::format("with {} dL/dy", multiple_factor);
    return check_multiple(probed, first, rounding);
  } catch (...) {
    return probed.thrown();
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
