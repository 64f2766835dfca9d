#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "core/gradcheck/comparison.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

// Whether two numbers are the same as far as differences can tell, beside numbers of size `scale`.
bool alike(double x, double y, double scale) {
  return std::abs(x - y) <= 1e-5 * std::max(std::abs(x), std::abs(y)) + 1e-7 * scale;
}

double largest_slope(const Comparison& c) {
  double largest = 0;
  for (Index i = 0; i < c.size(); ++i) {
    largest = std::max(largest, std::abs(c.n(i)));
  }
  return largest;
}

// Whether the gradient is `expected(i)` at every element.
bool is(const Comparison& c, const std::function<double(Index)>& expected) {
  const double scale = largest_slope(c);
  for (Index i = 0; i < c.size(); ++i) {
    if (!alike(c.a(i), expected(i), scale)) {
      return false;
    }
  }
  return true;
}

bool any_element(const Comparison& c, const std::function<bool(Index)>& condition) {
  Index i = 0;
  while (i < c.size() && !condition(i)) {
    ++i;
  }
  return i < c.size();
}

// The one factor between the gradient and the slopes, by least squares.
double best_factor(const Comparison& c) {
  double product = 0;
  double square = 0;
  for (Index i = 0; i < c.size(); ++i) {
    product += c.a(i) * c.n(i);
    square += c.n(i) * c.n(i);
  }
  return square > 0 ? product / square : 0;
}

// Where a factor may come from: an axis, its inverse, or a square root of either.
std::string source_of(double factor, const std::vector<Index>& sizes) {
  const double size = std::abs(factor);
  for (const Index extent : sizes) {
    const auto d = static_cast<double>(extent);
    if (extent < 2) {
      continue;
    }
    if (alike(size, d, 0)) {
      return fmt::format("; {} is the extent of an axis, or a count: a mean that was not divided?",
                         extent);
    }
    if (alike(size * d, 1, 0)) {
      return fmt::format(
          "; 1/{0}, and {0} is the extent of an axis, or a count: divided once too "
          "often?",
          extent);
    }
    if (alike(size * size, d, 0) || alike(size * size * d, 1, 0)) {
      return fmt::format("; its square is {}{}, the extent of an axis: a scale of √d?",
                         size < 1 ? "1/" : "", extent);
    }
  }
  return alike(size, 2, 0) ? "; the two of a square, or an input counted twice?" : "";
}

std::optional<WrongGradient> zeros(const Comparison& c) {
  if (!is(c, [](Index) { return 0; })) {
    return {};
  }
  return WrongGradient{WrongKind::no_gradient, "zeros arrive where the slope is not zero"};
}

std::optional<WrongGradient> a_multiple(const Comparison& c, const std::vector<Index>& sizes) {
  const double factor = best_factor(c);
  if (!is(c, [&](Index i) { return factor * c.n(i); })) {
    return {};
  }
  if (alike(factor, -1, 0)) {
    return WrongGradient{WrongKind::sign, "right but for its sign, everywhere"};
  }
  return WrongGradient{WrongKind::factor, fmt::format("{:.6g} times what is right, everywhere{}",
                                                      factor, source_of(factor, sizes))};
}

// As a matrix of the transposed shape, or in place.
std::optional<WrongGradient> a_transpose(const Comparison& c) {
  if (c.shape.rank() != 2 || c.shape[0] == 1 || c.shape[1] == 1) {
    return {};
  }
  const Index rows = c.shape[0];
  const Index columns = c.shape[1];
  if (!is(c, [&](Index i) { return c.n(i % rows * columns + i / rows); })) {
    return {};
  }
  return WrongGradient{WrongKind::transposed,
                       rows == columns ? "what is right, with rows and columns exchanged"
                                       : "the right numbers, laid out as of the transposed shape"};
}

std::optional<WrongGradient> too_many(const Comparison& c) {
  const double scale = largest_slope(c);
  Index count = 0;
  for (Index i = 0; i < c.size(); ++i) {
    const double rounding = 10 * c.numeric[static_cast<std::size_t>(i)].error;
    if (c.wrong(i) && std::abs(c.n(i)) > rounding && !alike(c.n(i), 0, scale)) {
      return {};
    }
    count += c.wrong(i) ? 1 : 0;
  }
  return WrongGradient{WrongKind::too_many,
                       fmt::format("{} of those that get one do not move the output: a mask, a "
                                   "pattern or a range of rows left out of account?",
                                   count)};
}

// The lines (rows, or columns) of a matrix; of a vector the elements.
struct Lines {
  Index count;
  Index length;
  std::function<Index(Index line, Index place)> element;
};

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

std::vector<Index> wrong_lines(const Comparison& c, const Lines& lines) {
  std::vector<Index> wrong;
  for (Index line = 0; line < lines.count; ++line) {
    for (Index place = 0; place < lines.length; ++place) {
      if (c.wrong(lines.element(line, place))) {
        wrong.push_back(line);
        break;
      }
    }
  }
  return wrong;
}

// Lines that are right, of those in which there is anything to be right about.
Index right_lines(const Comparison& c, const Lines& lines) {
  const double scale = largest_slope(c);
  Index right = 0;
  for (Index line = 0; line < lines.count; ++line) {
    bool wrong = false;
    bool slope = false;
    for (Index place = 0; place < lines.length; ++place) {
      const Index i = lines.element(line, place);
      wrong = wrong || c.wrong(i);
      slope = slope || !alike(c.n(i), 0, scale);
    }
    right += slope && !wrong ? 1 : 0;
  }
  return right;
}

// The numbers by which messages call lines.
std::vector<Index> numbers_of(const std::vector<Index>& lines, const std::vector<Index>& names) {
  std::vector<Index> result;
  for (const Index line : lines) {
    result.push_back(names.empty() ? line : names[static_cast<std::size_t>(line)]);
  }
  return result;
}

// Whether wrong rows hold what belongs into others: at least half of them. The rest may have come
// from elsewhere, or hold nothing.
std::optional<WrongGradient> rows_exchanged(const Comparison& c, const std::vector<Index>& wrong) {
  const Lines rows = rows_of(c.shape);
  const double scale = largest_slope(c);
  const auto holds = [&](Index row, Index other) {
    bool anything = false;
    for (Index place = 0; place < rows.length; ++place) {
      const double number = c.a(rows.element(row, place));
      if (!alike(number, c.n(rows.element(other, place)), scale)) {
        return false;
      }
      anything = anything || !alike(number, 0, scale);
    }
    return anything;
  };
  std::string pairs;
  std::size_t moved = 0;
  for (const Index row : wrong) {
    Index other = 0;
    while (other < rows.count && !holds(row, other)) {
      ++other;
    }
    if (other == rows.count) {
      continue;
    }
    ++moved;
    pairs += fmt::format("{}row {} holds that of row {}", pairs.empty() ? "" : ", ",
                         numbers_of({row}, c.rows)[0], numbers_of({other}, c.rows)[0]);
  }
  if (moved == 0 || 2 * moved < wrong.size()) {
    return {};
  }
  return WrongGradient{WrongKind::rows_exchanged,
                       pairs + ": a wrong segment, or a first row left out of account?"};
}

// What the wrong lines have in common.
std::string common(const Comparison& c, const Lines& lines, const std::vector<Index>& wrong) {
  Comparison part{.shape = {static_cast<Index>(wrong.size()), lines.length},
                  .analytic = {},
                  .numeric = {},
                  .differs = {}};
  for (const Index line : wrong) {
    for (Index place = 0; place < lines.length; ++place) {
      const auto i = static_cast<std::size_t>(lines.element(line, place));
      part.analytic.push_back(c.analytic[i]);
      part.numeric.push_back(c.numeric[i]);
      part.differs.push_back(c.differs[i]);
    }
  }
  if (is(part, [](Index) { return 0; })) {
    return "; nothing arrives there";
  }
  const double factor = best_factor(part);
  if (is(part, [&](Index i) { return factor * part.n(i); })) {
    return fmt::format("; {:.6g} times what is right arrives there", factor);
  }
  return "";
}

// "row 6 is", "columns 0, 4 are"
std::string they_are(const char* what, const std::vector<Index>& numbers) {
  return numbers.size() == 1 ? fmt::format("{} {} is", what, numbers[0])
                             : fmt::format("{}s {} are", what, listed(numbers));
}

std::optional<WrongGradient> some_lines(const Comparison& c) {
  const std::vector<Index> rows = wrong_lines(c, rows_of(c.shape));
  if (c.shape.rank() > 1) {
    if (auto exchanged = rows_exchanged(c, rows)) {
      return exchanged;
    }
  }
  const std::vector<Index> columns = wrong_lines(c, columns_of(c.shape));
  const auto wrong_rows = static_cast<Index>(rows.size());
  const auto wrong_columns = static_cast<Index>(columns.size());
  const Index all_rows = wrong_rows + right_lines(c, rows_of(c.shape));
  const Index all_columns =
      wrong_columns + (c.shape.rank() > 1 ? right_lines(c, columns_of(c.shape)) : 0);
  if (wrong_rows == all_rows && wrong_columns == all_columns) {
    return {};
  }
  // The axis along which the smaller share is wrong.
  if (wrong_rows * all_columns <= wrong_columns * all_rows) {
    return WrongGradient{
        WrongKind::some_rows,
        fmt::format("only {} wrong{}: a first or last one, a segment, a rest of a vectorised loop?",
                    they_are(c.shape.rank() > 1 ? "row" : "element", numbers_of(rows, c.rows)),
                    common(c, rows_of(c.shape), rows))};
  }
  return WrongGradient{WrongKind::some_columns,
                       fmt::format("only {} wrong{}: a head, a slice, a rest of a vectorised loop?",
                                   they_are("column", numbers_of(columns, c.columns)),
                                   common(c, columns_of(c.shape), columns))};
}

// What the gradient would be with another cotangent.
double with_cotangent(const Jacobian& jacobian, Index input,
                      const std::function<double(std::size_t)>& cotangent) {
  const std::vector<double>& column = jacobian.columns[static_cast<std::size_t>(input)];
  double sum = 0;
  for (std::size_t o = 0; o < column.size(); ++o) {
    sum += cotangent(o) * column[o];
  }
  return sum;
}

std::optional<WrongGradient> cotangent_ignored(const Comparison& c, const Jacobian& jacobian) {
  const auto sum = [&](Index i) {
    return with_cotangent(jacobian, i, [](std::size_t) { return 1; });
  };
  if (jacobian.columns.empty() || !is(c, sum)) {
    return {};
  }
  return WrongGradient{WrongKind::cotangent_ignored,
                       "right for dL/dy = 1 everywhere: g.output() is left out"};
}

std::optional<WrongGradient> not_summed(const Comparison& c, const Jacobian& jacobian) {
  if (jacobian.columns.empty()) {
    return {};
  }
  const double scale = largest_slope(c);
  const Lines rows = rows_of(jacobian.output);
  for (Index row = 0; row < rows.count && rows.count > 1; ++row) {
    const auto share = [&](Index i) {
      return with_cotangent(jacobian, i, [&](std::size_t o) {
        return static_cast<Index>(o) / rows.length == row ? jacobian.cotangent[o] : 0;
      });
    };
    // Elements that get nothing are not one row's share of a sum.
    const auto short_of_a_sum = [&](Index i) { return c.wrong(i) && !alike(c.a(i), 0, scale); };
    if (rows.length > 0 && is(c, share) && any_element(c, short_of_a_sum)) {
      return WrongGradient{WrongKind::not_summed,
                           fmt::format("the share of the output's row {} alone: what was broadcast "
                                       "over {} rows forwards is summed over them backwards",
                                       row, rows.count)};
    }
  }
  return {};
}

std::string ratios(const Comparison& c) {
  double least = 0;
  double most = 0;
  bool any = false;
  for (Index i = 0; i < c.size(); ++i) {
    if (c.wrong(i) && c.n(i) != 0) {
      const double ratio = c.a(i) / c.n(i);
      least = any ? std::min(least, ratio) : ratio;
      most = any ? std::max(most, ratio) : ratio;
      any = true;
    }
  }
  return fmt::format(
      "the ratios go from {:.3g} to {:.3g}, in no pattern: a term is missing, or one "
      "is wrong",
      least, most);
}

}  // namespace

WrongGradient kind_of(const Comparison& c, const Jacobian& jacobian,
                      const std::vector<Index>& sizes) {
  if (auto found = zeros(c)) {
    return *found;
  }
  if (auto found = cotangent_ignored(c, jacobian)) {  // of one number: a factor as well
    return *found;
  }
  if (auto found = a_multiple(c, sizes)) {
    return *found;
  }
  if (auto found = a_transpose(c)) {
    return *found;
  }
  const auto wrong = std::ranges::count(c.differs, true);
  if (wrong == 1 && c.size() > 2) {
    return {WrongKind::one_element, "all others are right: an index, or a rest of a loop?"};
  }
  if (auto found = too_many(c)) {
    return *found;
  }
  if (auto found = not_summed(c, jacobian)) {
    return *found;
  }
  if (auto found = some_lines(c)) {
    return *found;
  }
  return {WrongKind::term, ratios(c)};
}

}  // namespace tapehead
