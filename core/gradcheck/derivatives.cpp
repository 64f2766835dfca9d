#include "core/gradcheck/checks.hpp"

#include "core/gradcheck/differences.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The subject with a cotangent that is 0 except for one output.
Subject with_output_alone(const Subject& subject, Index output) {
  Subject result = subject;
  result.cotangent = Tensor::zeros(subject.cotangent.shape());
  result.cotangent.data()[output] = subject.cotangent.data()[output];
  result.probe += fmt::format(
      "{}with dL/dy = 0 except at the output's {}: otherwise larger slopes hide this error",
      subject.probe.empty() ? "" : ", ", element_name(output, subject.cotangent.shape()));
  return result;
}

struct SmallSlope {
  std::size_t input;
  Index element;
  Estimate slope;  // of L, through one output alone
};

// By output: slopes that are hidden by larger slopes. In the sum over all outputs, an error in a
// slope of 1e-9 is lost beside a slope of 1.
using HiddenSlopes = std::map<Index, std::vector<SmallSlope>>;

// Adds the slopes for this element that are far below the largest slope.
void add_hidden(const Subject& subject, std::size_t input, Index element, const Column& column,
                HiddenSlopes& hidden) {
  constexpr double far_below = 1e-3;
  const auto slope_through = [&](std::size_t o) {
    return scaled(column[o], subject.cotangent.data()[o]);
  };
  double largest = 0;
  for (std::size_t o = 0; o < column.size(); ++o) {
    largest = std::max(largest, std::abs(slope_through(o).value));
  }
  for (std::size_t o = 0; o < column.size(); ++o) {
    const Estimate slope = slope_through(o);
    const double size = std::abs(slope.value);
    if (size < far_below * largest && size > doubt_share * slope.error) {
      hidden[static_cast<Index>(o)].push_back({input, element, slope});
    }
  }
}

// Whether the gradients of one output alone seem wrong.
bool seems_wrong(const CheckedRun& alone, const std::vector<SmallSlope>& slopes) {
  // The tolerance of a second check, because this first check takes fewer steps.
  const double relative =
      doubt_share * std::max(remainder_tolerance, alone.subject.options.relative_tolerance);
  return std::ranges::any_of(slopes, [&](const SmallSlope& small) {
    const double gradient = alone.run.gradients[small.input].data()[small.element];
    const double slope = small.slope.value;
    const double allowed =
        doubt_share * small.slope.error + relative * std::max(std::abs(gradient), std::abs(slope));
    return !(std::abs(gradient - slope) <= allowed);
  });
}

std::vector<double> numbers(const Tensor& tensor) {
  return {tensor.values().begin(), tensor.values().end()};
}

// Returns no columns if the Jacobian would be very large: memory may not suffice, and the verdict
// does not depend on it.
Jacobian jacobian_of(const Subject& subject, const Comparison& c, Differences& differences,
                     std::size_t input) {
  constexpr Index most = 1 << 20;
  Jacobian result{.output = subject.cotangent.shape()};
  std::vector<Tensor> tensors{subject.cotangent};
  tensors.insert(tensors.end(), subject.inputs.begin(), subject.inputs.end());
  for (const Tensor& tensor : tensors) {
    const std::span<const Index> extents = tensor.shape().extents();
    result.sizes.insert(result.sizes.end(), extents.begin(), extents.end());
    result.sizes.push_back(tensor.size());
  }
  if (subject.inputs[input].size() * subject.cotangent.size() > most) {
    return result;
  }
  result.cotangent = numbers(subject.cotangent);
  for (Index i = 0; i < subject.inputs[input].size(); ++i) {
    result.columns.push_back(differences.column(input, i, c.slope(i)));
  }
  Subject part = subject;
  part.cotangent = Tensor::zeros(subject.cotangent.shape());
  result.backward_of_zero = numbers(run(part).gradients[input]);
  for (Index o = 0; o < subject.cotangent.size(); ++o) {
    result.backward.push_back(numbers(run(with_output_alone(subject, o)).gradients[input]));
  }
  return result;
}

Finding unsure(const Subject& subject, const Comparison& c, std::size_t input, Index element) {
  const Slope& slope = c.slope(element);
  return slope.kink
             ? subject.found(Verdict::kink_nearby, input, element,
                             fmt::format("the slopes below and above this input value are {:.6g} "
                                         "and {:.6g}: choose inputs away from the kink",
                                         slope.left, slope.right))
             : subject.found(Verdict::too_little_precision, input, element,
                             "the differences do not converge at any step size: the function "
                             "subtracts nearly equal numbers, jumps, or computes in lower "
                             "precision. Try inputs near 1 or -1");
}

Finding wrong(const Subject& subject, const Comparison& c, Differences& differences,
              std::size_t input, Index element, bool arrived) {
  const WrongGradient found =
      arrived
          ? kind_of(c, jacobian_of(subject, c, differences, input))
          : WrongGradient{WrongKind::no_gradient,
                          fmt::format("no gradient arrives: backward calls neither g.add({0}, ...) "
                                      "nor g.target({0}), or `record` did not get this input",
                                      input)};
  Finding finding = subject.found(Verdict::wrong, input, element, found.hint);
  finding.kind = found.kind;
  return finding;
}

std::optional<Finding> check_input(const CheckedRun& checked, bool arrived,
                                   Differences& differences, std::size_t input,
                                   HiddenSlopes& hidden) {
  const Subject& subject = checked.subject;
  const Comparison c =
      compare(checked, differences, input, [&](Index element, const Column& column) {
        add_hidden(subject, input, element, column, hidden);
      });
  const bool any_slope = std::ranges::any_of(c.numeric, [](const Slope& slope) {
    return slope.kink || std::abs(slope.value) > doubt_share * slope.error;
  });
  if (!arrived && !any_slope) {
    return c.size() == 0
               ? std::nullopt
               : std::optional(subject.found(Verdict::unused_input, input, -1,
                                             "the output does not depend on this input, and no "
                                             "gradient arrives: does the op use the right Var?"));
  }
  const Index worst = worst_of(c, subject.options, false);
  if (worst < 0) {
    // Without any slope, gradients larger than rounding cannot be judged.
    const auto is_gradient = [&](Index i) {
      return std::abs(c.a(i)) > checked.rounding(input).data()[i];
    };
    return any_slope || !any_element(c, is_gradient)
               ? std::nullopt
               : std::optional(subject.found(
                     Verdict::cannot_tell, input, -1,
                     fmt::format("the output is too large for differences: with numbers of {:.1g}, "
                                 "rounding hides the slopes of this input, so any gradient would "
                                 "pass. Leave out terms that do not depend on this input, or try "
                                 "smaller or larger inputs",
                                 magnitude(checked.run.forward))));
  }
  const Index sure = worst_of(c, subject.options, true);
  const Index element = sure >= 0 ? sure : worst;
  Finding finding = !std::isfinite(c.a(element))
                        ? subject.found(Verdict::not_finite, input, element,
                                        "the cause may be 0/0, ∞ - ∞, an infinite derivative (√x "
                                        "at 0), or memory that was never written")
                    : sure >= 0 ? wrong(subject, c, differences, input, element, arrived)
                                : unsure(subject, c, input, element);
  finding.compare(c.a(element), c.n(element), c.error(element));
  finding.extent = fmt::format("{} of {} elements of this input differ",
                               std::ranges::count(c.differs, true), c.size());
  return finding;
}

std::vector<Finding> check_inputs(const CheckedRun& checked, const std::vector<bool>& arrived,
                                  HiddenSlopes& hidden) {
  Differences differences(checked.subject);
  std::vector<Finding> findings;
  for (std::size_t k = 0; k < arrived.size(); ++k) {
    if (auto finding = check_input(checked, arrived[k], differences, k, hidden)) {
      findings.push_back(std::move(*finding));
    }
  }
  return findings;
}

}  // namespace

std::vector<Finding> check_derivatives(const CheckedRun& first, const std::vector<bool>& arrived) {
  HiddenSlopes hidden;
  if (auto findings = check_inputs(first, arrived, hidden); !findings.empty()) {
    return findings;
  }
  for (const auto& [output, slopes] : hidden) {
    const Subject subject = with_output_alone(first.subject, output);
    const CheckedRun alone(subject, run(subject));
    if (!seems_wrong(alone, slopes)) {
      continue;
    }
    HiddenSlopes none;
    auto findings = check_inputs(alone, arrived, none);
    std::erase_if(findings, [](const Finding& finding) {  // the uncertain ones
      return finding.verdict != Verdict::wrong && finding.verdict != Verdict::not_finite;
    });
    if (!findings.empty()) {
      return findings;
    }
  }
  return {};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
