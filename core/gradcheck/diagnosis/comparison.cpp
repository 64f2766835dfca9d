#include "core/gradcheck/diagnosis/comparison.hpp"

#include "core/gradcheck/slopes/trials.hpp"

namespace tapehead {

bool alike(double x, const Estimate& estimate) {
  return std::abs(x - estimate.value) <=
         1e-7 * std::max(std::abs(x), std::abs(estimate.value)) + doubt_share * estimate.error;
}

Estimate slope_at(const Comparison& c, Index i, double factor) {
  return {.value = factor * c.n(i), .error = std::abs(factor) * c.error(i)};
}

Estimate nothing_at(const Comparison& c, Index i) { return {.value = 0, .error = c.error(i)}; }

bool is(const Comparison& c, const std::function<Estimate(Index)>& expected) {
  return !any_element(c, [&](Index i) { return !alike(c.a(i), expected(i)); });
}

bool any_element(const Comparison& c, const std::function<bool(Index)>& condition) {
  return std::ranges::any_of(std::views::iota(Index{0}, c.size()), condition);
}

double best_factor(const Comparison& c) {
  double product = 0;
  double square = 0;
  for (Index i = 0; i < c.size(); ++i) {
    product += c.a(i) * c.n(i);
    square += c.n(i) * c.n(i);
  }
  return square > 0 ? product / square : 0;
}

Lines rows_of(const Shape& shape) {
  const Index count = shape.rank() == 0 ? 1 : shape[0];
  const Index length = count == 0 ? 0 : shape.size() / count;
  return {count, length, [length](Index line, Index place) { return line * length + place; }};
}

Lines columns_of(const Shape& shape) {
  const Index count = shape[shape.rank() - 1];
  const Index length = count == 0 ? 0 : shape.size() / count;
  return {count, length, [count](Index line, Index place) { return place * count + line; }};
}

std::vector<Index> lines_where(const Lines& lines, const std::function<bool(Index)>& condition) {
  std::vector<Index> result;
  for (Index line = 0; line < lines.count; ++line) {
    if (std::ranges::any_of(std::views::iota(Index{0}, lines.length),
                            [&](Index place) { return condition(lines.element(line, place)); })) {
      result.push_back(line);
    }
  }
  return result;
}

Estimate with_cotangent(const Jacobian& jacobian, Index input,
                        const std::function<double(Index output)>& cotangent) {
  const auto i = static_cast<std::size_t>(input);
  Estimate sum;
  for (std::size_t o = 0; o < jacobian.columns[i].size(); ++o) {
    const double weight = cotangent(static_cast<Index>(o));
    sum.value += weight * jacobian.columns[i][o];
    sum.error += std::abs(weight) * jacobian.errors[i][o];
  }
  return sum;
}

Estimate share_of(Index row, const Jacobian& jacobian, Index input) {
  const Index length = rows_of(jacobian.output).length;
  return with_cotangent(jacobian, input, [&](Index o) {
    return o / length == row ? jacobian.cotangent[static_cast<std::size_t>(o)] : 0;
  });
}

}  // namespace tapehead
