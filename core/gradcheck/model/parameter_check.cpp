// Checks one parameter of a model by slopes of the loss along directions in it.

#include "core/gradcheck/model/model.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Slopes of the loss along directions in one parameter.
class ParameterSlopes {
 public:
  explicit ParameterSlopes(const ParameterSubject& subject)
      : subject_(subject),
        noise_(4 * std::numeric_limits<Scalar>::epsilon() * std::abs(subject.centre)) {
    const double squares = sum_of_products(subject.parameter, subject.parameter);
    const auto count = static_cast<double>(subject.parameter.size());
    size_ = squares > 0 ? std::sqrt(squares / count) : 1;
  }

  // The slope along a unit direction, from two runs.
  Slope quick(const Tensor& direction) const {
    const Rise at = rise(direction, 2e-5 * size_);
    return {.value = (at.up + at.down) / 2, .error = at.noise};
  }

  // The slope from as many runs as it needs. `first_share`: the first step, relative to the
  // parameter's size.
  Slope along(const Tensor& direction, double enough, double first_share) const {
    const double first_step = first_share * size_;
    // The second step, a quarter of the first, has four times its rounding. If the slope is mostly
    // rounding, more precision is impossible.
    const double least = std::max(enough, 8 * noise_ / first_step);
    // A model has a kink for each ReLU of each token, so only known noise may end the search.
    return slope_of([&](double step) { return rise(direction, step); },
                    {.first_step = first_step,
                     .enough = [least](double) { return least; },
                     .noise_known = true});
  }

 private:
  Rise rise(const Tensor& direction, double step) const {
    Restored parameter(subject_.parameter);
    const auto loss_at = [&](double distance) {
      for (Index i = 0; i < direction.size(); ++i) {
        parameter.values.data()[i] = parameter.before.data()[i] + distance * direction.data()[i];
      }
      return subject_.loss(nullptr);
    };
    const double up = loss_at(step);
    const double down = loss_at(-step);
    return {.up = (up - subject_.centre) / step,
            .down = (subject_.centre - down) / step,
            .noise = noise_ / step};
  }

  const ParameterSubject& subject_;
  double size_;   // the parameter's root mean square; 1 if that is zero
  double noise_;  // the rounding error of the loss, a sum over tokens and layers
};

double norm(const Tensor& tensor) { return std::sqrt(sum_of_products(tensor, tensor)); }

// A direction with two slopes of the loss: by the gradient and by differences.
struct DirectionCheck {
  Tensor direction;
  double along;            // the slope by the gradient
  Slope slope;             // the slope by differences of the loss
  double size = 0;         // typical size of such a slope
  bool too_small = false;  // differences cannot measure slopes of this size

  double apart() const { return std::abs(along - slope.value); }
  double error() const { return apart() == 0 ? 0 : apart() / size; }
  // Whether the differences are too uncertain for a verdict.
  bool doubtful() const { return slope.kink || apart() <= doubt_share * slope.error; }
};

// The size of the slope along a unit direction: the larger of both slopes, but at least the slope
// if the gradient were spread evenly.
double size_of(const DirectionCheck& check, const Tensor& gradient) {
  const double typical = norm(gradient) / std::sqrt(static_cast<double>(gradient.size()));
  return std::max({std::abs(check.along), std::abs(check.slope.value), typical});
}

// `count` indices from 0 ... extent - 1, including the first and the last.
std::vector<Index> spread(Index extent, Index count) {
  count = std::clamp<Index>(count, 0, extent);
  return mapped(numbers_below(count),
                [&](Index i) { return count == 1 ? 0 : i * (extent - 1) / (count - 1); });
}

// A comparison, still empty, of at most `most` elements, which still show wrong rows, wrong columns
// and transposition. A small tensor: all elements. A larger matrix: evenly spaced rows and columns,
// with equal indices if it is square. A larger vector: evenly spaced elements.
Comparison grid_of(const Shape& shape, Index most) {
  if (shape.rank() != 2) {
    const std::vector<Index> elements = spread(shape.size(), most);
    return {.shape = {std::ssize(elements)}, .rows = elements};
  }
  const auto side = static_cast<Index>(std::sqrt(static_cast<double>(most)));
  const Index rows = std::min(shape[0], std::max(side, most / std::max<Index>(1, shape[1])));
  const std::vector<Index> columns = spread(shape[1], rows > 0 ? most / rows : 0);
  return {.shape = {rows, std::ssize(columns)}, .rows = spread(shape[0], rows), .columns = columns};
}

// The tensor's element for element i of the comparison.
Index element_of(const Comparison& grid, const Shape& shape, Index i) {
  const auto columns = std::ssize(grid.columns);
  return shape.rank() != 2 ? grid.rows[static_cast<std::size_t>(i)]
                           : grid.rows[static_cast<std::size_t>(i / columns)] * shape[1] +
                                 grid.columns[static_cast<std::size_t>(i % columns)];
}

DirectionCheck check_direction(const ParameterSubject& subject, std::uint64_t seed) {
  Tensor direction = uneven(subject.gradient.shape(), seed);  // then scaled to length 1
  const double length = norm(direction);
  for (Scalar& x : direction.values()) {
    x /= length;
  }
  const ParameterSlopes slopes(subject);
  DirectionCheck check{.direction = direction,
                       .along = sum_of_products(subject.gradient, direction),
                       .slope = slopes.quick(direction)};
  check.size = size_of(check, subject.gradient);
  if (check.apart() <= subject.options.tolerance * check.size) {
    return check;
  }
  // Rounding, a kink between the two points, or strong curvature? Larger steps reduce rounding.
  const double excused = 4 * check.slope.error;
  check.slope = slopes.along(direction, 0.1 * subject.options.tolerance * check.size,
                             check.apart() <= excused ? 1e-2 : 1e-3);
  check.size = size_of(check, subject.gradient);
  const double doubt = doubt_share * check.slope.error;
  const double smallest =
      (check.slope.kink ? excused : std::min(doubt, excused)) / subject.options.tolerance;
  check.too_small = smallest > check.size;
  check.size = std::max(check.size, smallest);
  return check;
}

// How far rounding alone may move the gradient's slope. A sum whose terms cancel may be only
// rounding, although the loss itself does not show it.
double rounding_along(const ParameterSubject& subject, const DirectionCheck& check) {
  double most = 0;
  for (const Tensor& other : subject.nearby()) {
    most = std::max(most, std::abs(sum_of_products(other, check.direction) - check.along));
  }
  return doubt_share * most;
}

Comparison compare_elements(const ParameterSubject& subject, double size) {
  const ParameterSlopes slopes(subject);
  Comparison c = grid_of(subject.gradient.shape(), subject.options.elements);
  const double tolerated = subject.options.tolerance * size;
  Tensor direction = Tensor::zeros(subject.gradient.shape());
  for (Index i = 0; i < c.size(); ++i) {
    const Index element = element_of(c, subject.gradient.shape(), i);
    direction.data()[element] = 1;
    const Slope slope = slopes.along(direction, 0.1 * tolerated, 1e-3);
    direction.data()[element] = 0;
    c.analytic.push_back(subject.gradient.data()[element]);
    c.numeric.push_back(slope);
    c.differs.push_back(!slope.kink &&
                        std::abs(c.a(i) - slope.value) > doubt_share * slope.error + tolerated);
  }
  return c;
}

Finding explain(const ParameterSubject& subject, const DirectionCheck& direction) {
  Finding finding{.verdict = Verdict::wrong, .subject = subject.name};
  finding.compare(direction.along, direction.slope.value, direction.slope.error);
  if (direction.doubtful() || direction.apart() <= rounding_along(subject, direction)) {
    finding.verdict = direction.slope.kink ? Verdict::kink_nearby : Verdict::too_little_precision;
    finding.extent = "the numbers are slopes along a random direction";
    finding.hint = direction.doubtful()
                       ? "try another seed, or another batch"
                       : "changes in the last bits of the parameters change the gradient by as "
                         "much: are the numbers in the model far from 1?";
    return finding;
  }
  const Comparison c = compare_elements(subject, direction.size);
  Index worst = -1;
  for (Index i = 0; i < c.size(); ++i) {
    if (c.wrong(i) &&
        (worst < 0 || std::abs(c.a(i) - c.n(i)) > std::abs(c.a(worst) - c.n(worst)))) {
      worst = i;
    }
  }
  if (worst < 0) {
    finding.extent = fmt::format(
        "the numbers are slopes along a random direction; each of the {} elements checked singly "
        "is right",
        c.size());
    return finding;
  }
  const WrongGradient kind =
      subject.written
          ? kind_of(c, {})
          : WrongGradient{WrongKind::no_gradient,
                          "no gradient arrives, but the loss depends on this parameter"};
  finding.kind = kind.kind;
  finding.hint = kind.hint;
  finding.element =
      element_name(element_of(c, subject.gradient.shape(), worst), subject.gradient.shape());
  finding.compare(c.a(worst), c.n(worst), c.error(worst));
  finding.extent = fmt::format("{} of {} checked elements differ",
                               std::ranges::count(c.differs, true), c.size());
  return finding;
}

}  // namespace

ParameterCheck check_parameter(const ParameterSubject& subject) {
  ParameterCheck result{.name = subject.name,
                        .shape = subject.gradient.shape(),
                        .finding = {.subject = subject.name}};
  if (const Index bad = first_not_finite(subject.gradient); bad >= 0) {
    result.finding.verdict = Verdict::not_finite;
    result.finding.element = element_name(bad, subject.gradient.shape());
    result.error = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  if (subject.gradient.size() == 0) {
    return result;
  }
  // Tries directions until one is conclusive: a model has so many kinks that differences along some
  // directions cannot avoid the nearest one.
  constexpr std::uint64_t most_directions = 8;
  DirectionCheck direction{};
  for (std::uint64_t i = 0; i < most_directions; ++i) {
    direction = check_direction(subject, subject.options.seed + subject.number + 10000 * i);
    if (direction.error() <= subject.options.tolerance || !direction.doubtful()) {
      break;
    }
  }
  result.error = direction.error();
  if (!subject.written && result.error <= subject.options.tolerance) {
    result.finding.verdict = Verdict::unused_input;
    result.finding.hint =
        "the loss does not depend on it, and no gradient arrives: a parameter that no layer uses";
  } else if (!(result.error <= subject.options.tolerance)) {
    result.finding = explain(subject, direction);
  } else {
    result.too_small = direction.too_small;
    result.hidden =
        direction.too_small && std::abs(direction.along) > rounding_along(subject, direction);
  }
  return result;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
