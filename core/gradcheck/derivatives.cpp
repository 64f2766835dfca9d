#include "core/gradcheck/checks.hpp"

#include "core/gradcheck/differences.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::vector<double> numbers(const Tensor& tensor) {
  return {tensor.values().begin(), tensor.values().end()};
}

// Returns no columns if the Jacobian would be very large: memory may not suffice, and the verdict
// does not depend on it.
Jacobian jacobian_of(const Subject& subject, const Comparison& c, Differences& differences,
                     std::size_t input) {
  constexpr Index most = 1 << 20;
  Jacobian result{.output = subject.cotangent.shape()};
  if (subject.inputs[input].size() * subject.cotangent.size() > most) {
    return result;
  }
  result.cotangent = numbers(subject.cotangent);
  for (Index i = 0; i < subject.inputs[input].size(); ++i) {
    Column column = differences.column(input, i, c.numeric[static_cast<std::size_t>(i)]);
    result.columns.push_back(std::move(column.value));
    result.errors.push_back(std::move(column.error));
  }
  Subject part = subject;
  part.cotangent = Tensor::zeros(subject.cotangent.shape());
  result.backward_of_zero = numbers(run(part).gradients[input]);
  for (Index o = 0; o < subject.cotangent.size(); ++o) {
    result.backward.push_back(numbers(run(with_output_alone(subject, o)).gradients[input]));
  }
  return result;
}

std::vector<Index> sizes_of(const Subject& subject) {
  std::vector<Index> sizes;
  const auto take = [&sizes](const Shape& shape) {
    for (Index axis = 0; axis < shape.rank(); ++axis) {
      sizes.push_back(shape[axis]);
    }
    sizes.push_back(shape.size());
  };
  take(subject.cotangent.shape());
  for (const Tensor& input : subject.inputs) {
    take(input.shape());
  }
  return sizes;
}

Finding not_finite(const Subject& subject, std::size_t input, Index element) {
  return subject.found(Verdict::not_finite, input, element,
                       "0/0, ∞ - ∞ or the derivative at an edge; or memory that was never written");
}

Finding unsure(const Subject& subject, const Comparison& c, std::size_t input, Index element) {
  const Slope& slope = c.numeric[static_cast<std::size_t>(element)];
  return slope.kink
             ? subject.found(Verdict::kink_nearby, input, element,
                             fmt::format("the slopes to both sides are {:.6g} and {:.6g}: choose "
                                         "inputs away from where the function bends",
                                         slope.left, slope.right))
             : subject.found(
                   Verdict::too_little_precision, input, element,
                   "the differences do not settle at any step: the function cancels, jumps, "
                   "or computes in lower precision. Try inputs of about unit size");
}

Finding wrong(const Subject& subject, const Comparison& c, Differences& differences,
              std::size_t input, Index element, bool arrived) {
  Finding finding = subject.found(Verdict::wrong, input, element, "");
  if (arrived) {
    const WrongGradient kind =
        kind_of(c, jacobian_of(subject, c, differences, input), sizes_of(subject));
    finding.kind = kind.kind;
    finding.hint = kind.hint;
  } else {
    finding.kind = WrongKind::no_gradient;
    finding.hint = fmt::format(
        "no gradient arrives: backward calls neither g.add({0}, ...) nor g.target({0}), or the "
        "input is not among those recorded",
        input);
  }
  return finding;
}

Finding cannot_tell(const Subject& subject, const Run& run, std::size_t input) {
  return subject.found(
      Verdict::cannot_tell, input, -1,
      fmt::format("the output is too large for differences: beside numbers of {:.1g} the slopes of "
                  "this input are less than rounding, so that any gradient would pass. Leave out "
                  "what does not depend on it, or try inputs of another size",
                  magnitude(run.forward)));
}

std::optional<Finding> check_input(const Subject& subject, Differences& differences,
                                   const GradientsFound& found, std::size_t input,
                                   HiddenOutputs& hidden) {
  const Comparison c = compare(subject, differences, input, found.run, found.rounding, hidden);
  const bool any_slope = std::ranges::any_of(c.numeric, [](const Slope& slope) {
    return slope.kink || std::abs(slope.value) > doubt_share * slope.error;
  });
  const bool arrived = found.arrived[input];
  if (!arrived && !any_slope) {
    return c.size() == 0
               ? std::nullopt
               : std::optional(subject.found(Verdict::unused_input, input, -1,
                                             "the output does not change with it and no gradient "
                                             "arrives: is the right Var used?"));
  }
  const Index worst = worst_of(c, subject.options);
  if (worst < 0) {
    // Without any slope, gradients larger than rounding cannot be judged.
    const auto is_gradient = [&](Index i) {
      return std::abs(c.a(i)) > found.rounding.of(input).data()[i];
    };
    return !any_slope && any_element(c, is_gradient)
               ? std::optional(cannot_tell(subject, found.run, input))
               : std::nullopt;
  }
  const Index sure = worst_sure(c, subject.options);
  const Index element = sure >= 0 ? sure : worst;
  Finding finding = !std::isfinite(c.a(element)) ? not_finite(subject, input, element)
                    : sure >= 0 ? wrong(subject, c, differences, input, element, arrived)
                                : unsure(subject, c, input, element);
  finding.compared = true;
  finding.analytic = c.a(element);
  finding.numeric = c.n(element);
  finding.numeric_error = c.numeric[static_cast<std::size_t>(element)].error;
  finding.extent = fmt::format("{} of {} elements of this input differ",
                               std::ranges::count(c.differs, true), c.size());
  return finding;
}

std::vector<Finding> check_inputs(const Subject& subject, const GradientsFound& found,
                                  HiddenOutputs& hidden) {
  Differences differences(subject);
  std::vector<Finding> findings;
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    if (auto finding = check_input(subject, differences, found, k, hidden)) {
      findings.push_back(std::move(*finding));
    }
  }
  return findings;
}

// Findings for a cotangent of one output alone, without uncertain ones.
std::vector<Finding> check_alone(const Subject& subject, const std::vector<bool>& arrived) {
  const Run alone = run(subject);
  HiddenOutputs none(subject);
  std::vector<Finding> findings =
      check_inputs(subject, {alone, GradientRounding(subject, alone), arrived}, none);
  std::erase_if(findings, [](const Finding& finding) {
    return finding.verdict != Verdict::wrong && finding.verdict != Verdict::not_finite;
  });
  return findings;
}

}  // namespace

std::vector<Finding> check_derivatives(const Subject& subject, const GradientsFound& found) {
  HiddenOutputs hidden(subject);
  if (auto findings = check_inputs(subject, found, hidden); !findings.empty()) {
    return findings;
  }
  for (const Index output : hidden.suspects()) {
    auto findings = check_alone(with_output_alone(subject, output), found.arrived);
    if (!findings.empty()) {
      return findings;
    }
  }
  return {};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
