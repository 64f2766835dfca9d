#include "core/gradcheck/derivatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/gradcheck/comparison.hpp"
#include "core/gradcheck/differences.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

double tolerated(const GradcheckOptions& options, double analytic, double numeric) {
  return options.absolute_tolerance +
         options.relative_tolerance * std::max(std::abs(analytic), std::abs(numeric));
}

Comparison compare(const Subject& subject, Differences& differences, std::size_t input,
                   const Tensor& gradient) {
  Comparison result{.shape = gradient.shape(), .analytic = {}, .numeric = {}, .differs = {}};
  for (Index i = 0; i < gradient.size(); ++i) {
    const double analytic = gradient.data()[i];
    const Slope slope = differences.element(input, i);
    const double distance = std::abs(analytic - slope.value);
    result.at.push_back(subject.inputs[input].data()[i]);
    result.analytic.push_back(analytic);
    result.numeric.push_back(slope);
    result.differs.push_back(slope.kink ||
                             !(distance <= tolerated(subject.options, analytic, slope.value)));
  }
  return result;
}

// The differing element that is furthest away, in multiples of what is tolerated; one that is not
// finite before all others.
Index worst_of(const Comparison& c, const GradcheckOptions& options) {
  Index worst = -1;
  double most = -1;
  for (Index i = 0; i < c.size(); ++i) {
    if (!c.wrong(i)) {
      continue;
    }
    const double excess = std::abs(c.a(i) - c.n(i)) / tolerated(options, c.a(i), c.n(i));
    if (!std::isfinite(c.a(i))) {
      return i;
    }
    if (excess > most || worst < 0) {
      worst = i;
      most = excess;
    }
  }
  return worst;
}

// How far the differences may be off: as far as the worst of them. Away from kinks an estimate that
// is much better than its neighbours' is so by chance.
double doubt_of(const Comparison& c) {
  double doubt = 0;
  for (const Slope& slope : c.numeric) {
    if (!slope.kink && std::isfinite(slope.error)) {
      doubt = std::max(doubt, slope.error);
    }
  }
  return doubt;
}

// Where some element can be told for sure, that one: a kink elsewhere excuses nothing.
Index worst_sure(const Comparison& c, const GradcheckOptions& options) {
  Comparison sure = c;
  const double doubt = doubt_of(c);
  for (Index i = 0; i < c.size(); ++i) {
    const Slope& slope = c.numeric[static_cast<std::size_t>(i)];
    const bool between = slope.kink && c.a(i) >= std::min(slope.left, slope.right) - slope.error &&
                         c.a(i) <= std::max(slope.left, slope.right) + slope.error;
    const bool near = std::abs(c.a(i) - slope.value) <= 10 * std::max(slope.error, doubt);
    if (between || near) {
      sure.differs[static_cast<std::size_t>(i)] = false;
    }
  }
  return worst_of(sure, options);
}

std::vector<double> numbers(const Tensor& tensor) {
  return {tensor.values().begin(), tensor.values().end()};
}

Jacobian jacobian_of(const Subject& subject, Differences& differences, std::size_t input) {
  Jacobian result{
      .output = subject.cotangent.shape(), .cotangent = numbers(subject.cotangent), .columns = {}};
  for (Index i = 0; i < subject.inputs[input].size(); ++i) {
    result.columns.push_back(numbers(differences.column(input, i)));
  }
  Subject part = subject;
  part.cotangent = Tensor::zeros(subject.cotangent.shape());
  result.backward_of_zero = numbers(run(part).gradients[input]);
  for (Index o = 0; o < subject.cotangent.size(); ++o) {
    part.cotangent = Tensor::zeros(subject.cotangent.shape());
    part.cotangent.data()[o] = subject.cotangent.data()[o];
    result.backward.push_back(numbers(run(part).gradients[input]));
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
  Finding finding =
      subject.found(Verdict::not_finite, input, element,
                    "0/0, ∞ - ∞ or the derivative at an edge; or memory that was never written");
  return finding;
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
        kind_of(c, jacobian_of(subject, differences, input), sizes_of(subject));
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

std::optional<Finding> check_input(const Subject& subject, Differences& differences,
                                   const Tensor& gradient, std::size_t input, bool arrived) {
  const Comparison c = compare(subject, differences, input, gradient);
  const bool any_slope =
      std::ranges::any_of(c.numeric, [](const Slope& slope) { return slope.value != 0; });
  if (!arrived && !any_slope) {
    return gradient.size() == 0
               ? std::nullopt
               : std::optional(subject.found(Verdict::unused_input, input, -1,
                                             "the output does not change with it and no gradient "
                                             "arrives: is the right Var used?"));
  }
  const Index worst = worst_of(c, subject.options);
  if (worst < 0) {
    return {};
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

}  // namespace

std::vector<Finding> check_derivatives(const Subject& subject, const Run& run,
                                       const std::vector<bool>& arrived) {
  Differences differences(subject);
  std::vector<Finding> findings;
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    if (auto finding = check_input(subject, differences, run.gradients[k], k, arrived[k])) {
      findings.push_back(std::move(*finding));
    }
  }
  return findings;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
