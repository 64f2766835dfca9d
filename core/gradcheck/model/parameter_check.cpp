#include "core/gradcheck/model/parameter_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/gradcheck/slopes/trials.hpp"
#include "core/gradcheck/subject.hpp"
#include "core/tape/finite.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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

// The size of the slope along a unit direction: the larger of the two, but at least what it is if
// the gradient is spread evenly.
double size_of(const DirectionCheck& check, const Tensor& gradient) {
  const double typical = norm(gradient) / std::sqrt(static_cast<double>(gradient.size()));
  return std::max({std::abs(check.along), std::abs(check.slope.value), typical});
}

// How far a number computed from the gradient may be off by rounding alone. A sum whose terms
// cancel may be nothing but rounding, which the loss itself need not show.
double rounding_of(const std::vector<Tensor>& nearby, const Tensor& gradient,
                   const std::function<double(const Tensor& gradient)>& number) {
  double most = 0;
  for (const Tensor& other : nearby) {
    most = std::max(most, std::abs(number(other) - number(gradient)));
  }
  return doubt_share * most;
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

double DirectionCheck::apart() const { return std::abs(along - slope.value); }

double DirectionCheck::error() const { return apart() == 0 ? 0 : apart() / size; }

bool DirectionCheck::doubtful() const { return slope.kink || apart() <= doubt_share * slope.error; }

ParameterCheck ParameterChecker::check() {
  ParameterCheck result{.name = parameter_.name, .shape = parameter_.shape, .finding = {}};
  result.finding.subject = parameter_.name;
  if (const Index bad = first_not_finite(gradient_); bad >= 0) {
    result.finding.verdict = Verdict::not_finite;
    result.finding.element = element_name(bad, parameter_.shape);
    result.error = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  if (gradient_.size() == 0) {
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
  } else {
    result.too_small = direction.too_small;
    result.hidden = direction.too_small && std::abs(direction.along) > rounding_along(direction);
  }
  return result;
}

double ParameterChecker::rounding_along(const DirectionCheck& check) {
  return rounding_of(nearby_(parameter_), gradient_,
                     [&](const Tensor& g) { return product(g, check.direction); });
}

DirectionCheck ParameterChecker::check_direction(std::uint64_t seed) {
  const Tensor direction = unit_direction(parameter_.shape, seed);
  DirectionCheck check{.direction = direction,
                       .along = product(gradient_, direction),
                       .slope = slopes_.quick(parameter_, direction),
                       .size = 0};
  check.size = size_of(check, gradient_);
  if (check.apart() <= options_.tolerance * check.size) {
    return check;
  }
  // Rounding, a kink between the two points, or strong curvature? Larger steps reduce rounding.
  const double excused = 4 * check.slope.error;
  const bool hidden = check.apart() <= excused;
  const Slope slope = slopes_.along(parameter_, direction, 0.1 * options_.tolerance * check.size,
                                    hidden ? 1e-2 : 1e-3);
  const bool better = !slope.kink && doubt_share * slope.error < excused;
  if (better || !hidden) {
    check.slope = slope;
    check.size = size_of(check, gradient_);
  }
  const double smallest = (better ? doubt_share * slope.error : excused) / options_.tolerance;
  check.too_small = smallest > check.size;
  check.size = std::max(check.size, smallest);
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
  if (direction.apart() <= rounding_along(direction)) {
    finding.verdict = Verdict::too_little_precision;
    finding.extent = "the numbers are slopes along a random direction";
    finding.hint =
        "changes in the last bits of the parameters move what backward gives by as much: are the "
        "numbers in the model far from 1?";
    return finding;
  }
  const Grid grid(parameter_.shape, options_.elements);
  const Comparison c = compare_elements(grid, direction.size, nearby_(parameter_));
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

Comparison ParameterChecker::compare_elements(const Grid& grid, double size,
                                              const std::vector<Tensor>& nearby) {
  Comparison c = grid.comparison();
  const double tolerated = options_.tolerance * size;
  for (Index i = 0; i < c.size(); ++i) {
    const Index element = grid.element(i);
    const Slope slope = slopes_.element(parameter_, element, 0.1 * tolerated);
    const double analytic = gradient_.data()[element];
    const double distance = std::abs(analytic - slope.value);
    const double rounding =
        rounding_of(nearby, gradient_, [element](const Tensor& g) { return g.data()[element]; });
    c.analytic.push_back(analytic);
    c.numeric.push_back(slope);
    c.differs.push_back(!slope.kink && distance > doubt_share * slope.error + rounding + tolerated);
  }
  return c;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
