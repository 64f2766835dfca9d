#include "core/gradcheck/model/parameter_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/gradcheck/subject.hpp"
#include "core/tape/finite.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

double norm(const Tensor& tensor) {
  double squares = 0;
  for (const Scalar x : tensor.values()) {
    squares += x * x;
  }
  return std::sqrt(squares);
}

// A random direction of length 1.
Tensor unit_direction(const Shape& shape, std::uint64_t seed) {
  Tensor direction = uneven(shape, seed);
  const double length = norm(direction);
  for (Scalar& x : direction.values()) {
    x /= length;
  }
  return direction;
}

double product(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) {
    sum += a.data()[i] * b.data()[i];
  }
  return sum;
}

// The size of the slope along a unit direction if the gradient is spread evenly, but at least the
// rounding error of a difference, in units of the tolerance.
double size_of(const DirectionCheck& check, const Tensor& gradient, double tolerance) {
  const double typical = norm(gradient) / std::sqrt(static_cast<double>(gradient.size()));
  return std::max({std::abs(check.along), std::abs(check.slope.value), typical,
                   4 * check.slope.error / tolerance});
}

Index worst_of(const Comparison& c) {
  Index worst = -1;
  for (Index i = 0; i < c.size(); ++i) {
    if (c.wrong(i) &&
        (worst < 0 || std::abs(c.a(i) - c.n(i)) > std::abs(c.a(worst) - c.n(worst)))) {
      worst = i;
    }
  }
  return worst;
}

}  // namespace

double DirectionCheck::error() const { return std::abs(along - slope.value) / size; }

bool DirectionCheck::doubtful() const {
  return slope.kink || std::abs(along - slope.value) <= 10 * slope.error;
}

ParameterCheck ParameterChecker::check() {
  ParameterCheck result{.name = parameter_.name, .shape = parameter_.shape, .finding = {}};
  result.finding.subject = parameter_.name;
  if (const Index bad = first_not_finite(gradient_); bad >= 0) {
    result.finding.verdict = Verdict::not_finite;
    result.finding.element = element_name(bad, parameter_.shape);
    result.error = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  const DirectionCheck direction = settled_direction();
  result.error = direction.error();
  if (!written_ && result.error <= options_.tolerance) {
    result.finding.verdict = Verdict::unused_input;
    result.finding.hint =
        "the loss does not change with it and no gradient arrives: a parameter that no layer uses";
  } else if (!(result.error <= options_.tolerance)) {
    result.finding = explain(direction);
  }
  return result;
}

DirectionCheck ParameterChecker::check_direction(std::uint64_t seed) {
  const Tensor direction = unit_direction(parameter_.shape, seed);
  DirectionCheck check{.along = product(gradient_, direction),
                       .slope = slopes_.quick(parameter_, direction),
                       .size = 0};
  check.size = size_of(check, gradient_, options_.tolerance);
  if (check.error() > options_.tolerance) {  // a kink between the two points, or strong curvature?
    check.slope = slopes_.along(parameter_, direction, 0.1 * options_.tolerance * check.size);
    check.size = std::max(check.size, std::abs(check.slope.value));
  }
  return check;
}

// Tries directions until one is conclusive. Some kink of a model is always so near that differences
// along some directions cannot avoid it.
DirectionCheck ParameterChecker::settled_direction() {
  constexpr std::uint64_t most = 8;
  DirectionCheck check{};
  for (std::uint64_t i = 0; i < most; ++i) {
    check = check_direction(options_.seed + number_ + 10000 * i);
    if (check.error() <= options_.tolerance || !check.doubtful()) {
      break;
    }
  }
  return check;
}

Finding ParameterChecker::explain(const DirectionCheck& direction) {
  Finding finding{.verdict = Verdict::wrong,
                  .subject = parameter_.name,
                  .compared = true,
                  .analytic = direction.along,
                  .numeric = direction.slope.value,
                  .numeric_error = direction.slope.error};
  if (direction.doubtful()) {
    finding.verdict = direction.slope.kink ? Verdict::kink_nearby : Verdict::too_little_precision;
    finding.extent = "the numbers are slopes along a random direction";
    finding.hint = "another seed, or another batch, may settle it";
    return finding;
  }
  const Grid grid(parameter_.shape, options_.elements);
  const Comparison c = compare_elements(grid, direction.size);
  const Index worst = worst_of(c);
  if (worst < 0) {
    finding.extent = fmt::format(
        "the numbers are slopes along a random direction; each of the {} elements looked at is "
        "right by itself",
        c.size());
    return finding;
  }
  const WrongGradient kind = written_
                                 ? kind_of(c, {}, {})
                                 : WrongGradient{WrongKind::no_gradient,
                                                 "no gradient arrives, and the loss depends on it"};
  finding.kind = kind.kind;
  finding.hint = kind.hint;
  finding.element = element_name(grid.element(worst), parameter_.shape);
  finding.analytic = c.a(worst);
  finding.numeric = c.n(worst);
  finding.numeric_error = c.numeric[static_cast<std::size_t>(worst)].error;
  finding.extent = fmt::format("{} of {} elements looked at differ",
                               std::ranges::count(c.differs, true), c.size());
  return finding;
}

Comparison ParameterChecker::compare_elements(const Grid& grid, double size) {
  Comparison c = grid.comparison();
  const double tolerated = options_.tolerance * size;
  for (Index i = 0; i < c.size(); ++i) {
    const Index element = grid.element(i);
    const Slope slope = slopes_.element(parameter_, element, 0.1 * tolerated);
    const double analytic = gradient_.data()[element];
    const double distance = std::abs(analytic - slope.value);
    c.analytic.push_back(analytic);
    c.numeric.push_back(slope);
    c.differs.push_back(!slope.kink && distance > 10 * slope.error + tolerated);
  }
  return c;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
