// Recognises kinds of wrong gradients, from the simplest to the most complex.

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

// `factor` times the finite difference of element i.
Estimate slope_at(const Comparison& c, Index i, double factor = 1) {
  return scaled({.value = c.n(i), .error = c.error(i)}, factor);
}

// Whether the gradient is `expected(i)` at every element.
bool is(const Comparison& c, const std::function<Estimate(Index)>& expected) {
  return !any_element(c, [&](Index i) { return !alike(c.a(i), expected(i)); });
}

// The factor between the slopes and the gradient that fits best (least squares).
double best_factor(const Comparison& c) {
  double product = 0;
  double square = 0;
  for (Index i = 0; i < c.size(); ++i) {
    product += c.a(i) * c.n(i);
    square += c.n(i) * c.n(i);
  }
  return square > 0 ? product / square : 0;
}

// The gradient would be right if dL/dy were 1 everywhere.
WrongGradient cotangent_ignored(const Comparison& c, const Jacobian& jacobian) {
  const auto sum = [&](Index i) { return with_cotangent(jacobian, i, [](Index) { return 1; }); };
  const bool ignored = !jacobian.columns.empty() && is(c, sum);
  return {ignored ? WrongKind::cotangent_ignored : WrongKind::none,
          "this would be right if dL/dy were 1 everywhere: multiply by dL/dy, which is g.output()"};
}

// The gradient would be right if dL/dy were 0 in all rows but one.
WrongGradient not_summed(const Comparison& c, const Jacobian& jacobian) {
  if (jacobian.columns.empty()) {
    return {};
  }
  const Lines rows = rows_of(jacobian.output);
  for (Index row = 0; row < rows.count && rows.count > 1; ++row) {
    const auto share = [&](Index i) { return share_of(row, jacobian, i); };
    // A zero gradient does not count as one row's share of a sum.
    const auto short_of_a_sum = [&](Index i) {
      return c.wrong(i) && !alike(c.a(i), nothing_at(c, i));
    };
    if (rows.length > 0 && is(c, share) && any_element(c, short_of_a_sum)) {
      return {WrongKind::not_summed,
              fmt::format("this is the gradient from the output's row {} only: forward broadcasts "
                          "the input over {} rows, so backward must sum over them",
                          row, rows.count)};
    }
  }
  return {};
}

// The possible source of a factor: an axis, its inverse, or the square root of either.
std::string source_of(double factor, const std::vector<Index>& sizes) {
  const double size = std::abs(factor);
  for (const Index extent : sizes) {
    const auto d = static_cast<double>(extent);
    if (extent < 2) {
      continue;
    }
    if (alike(size, {d})) {
      return fmt::format(
          "; {} is the size of an axis, or a count: is the division of a mean missing?", extent);
    }
    if (alike(size * d, {1})) {
      return fmt::format(
          "; that is 1/{0}, and {0} is the size of an axis, or a count: is there one division too "
          "many?",
          extent);
    }
    if (alike(size * size, {d}) || alike(size * size * d, {1})) {
      return fmt::format(
          "; its square is {}{}, from the size of an axis: is a scale of √d missing or applied "
          "twice?",
          size < 1 ? "1/" : "", extent);
    }
  }
  return alike(size, {2})
             ? "; is it the 2 from the derivative of a square, or is an input counted twice?"
             : "";
}

WrongGradient zeros(const Comparison& c, const Jacobian& /*jacobian*/) {
  const bool all = is(c, [&](Index i) { return nothing_at(c, i); });
  return {all ? WrongKind::no_gradient : WrongKind::none,
          "the gradient is 0 everywhere, but the slope is not"};
}

// Whether every element is so nearly right that `alike` sees no error.
bool nearly_right(const Comparison& c) {
  return is(c, [&](Index i) { return slope_at(c, i); });
}

// Whether most elements that have a slope differ from their slope. Small elements may agree only
// because the tolerance follows the largest element.
bool most_differ(const Comparison& c) {
  Index slopes = 0;
  Index wrong = 0;
  for (Index i = 0; i < c.size(); ++i) {
    const bool slope = !alike(c.n(i), nothing_at(c, i));
    slopes += slope ? 1 : 0;
    wrong += slope && c.wrong(i) ? 1 : 0;
  }
  return 4 * wrong >= 3 * slopes;
}

// Whether multiplying by `factor` removes nearly all of the distance between gradients and slopes.
bool explains(double factor, const Comparison& c) {
  return !any_element(c, [&](Index i) {
    const double left = std::abs(c.a(i) - factor * c.n(i));
    return c.wrong(i) && left > 0.1 * std::abs(c.a(i) - c.n(i)) + doubt_share * c.error(i);
  });
}

WrongGradient a_multiple(const Comparison& c, const Jacobian& jacobian) {
  const double factor = best_factor(c);
  if ((nearly_right(c) && !(most_differ(c) && explains(factor, c))) ||
      !is(c, [&](Index i) { return slope_at(c, i, factor); })) {
    return {};
  }
  if (alike(factor, {-1})) {
    return {WrongKind::sign, "the sign is wrong everywhere; the rest is right"};
  }
  return {WrongKind::factor, fmt::format("{} times the right gradient, everywhere{}",
                                         factor_text(factor), source_of(factor, jacobian.sizes))};
}

// A transposed gradient, with either the transposed shape or the input's shape.
WrongGradient a_transpose(const Comparison& c, const Jacobian& /*jacobian*/) {
  if (c.shape.rank() != 2 || c.shape[0] == 1 || c.shape[1] == 1 || nearly_right(c)) {
    return {};
  }
  const Index rows = c.shape[0];
  const Index columns = c.shape[1];
  const bool all = is(c, [&](Index i) { return slope_at(c, i % rows * columns + i / rows); });
  return {all ? WrongKind::transposed : WrongKind::none,
          rows == columns ? "the right gradient, with rows and columns exchanged"
                          : "the right numbers, in the memory order of the transposed shape"};
}

WrongGradient one_element(const Comparison& c, const Jacobian& /*jacobian*/) {
  const bool one = std::ranges::count(c.differs, true) == 1 && c.size() > 2;
  return {one ? WrongKind::one_element : WrongKind::none,
          "all other elements are right: check indices and the ends of loops"};
}

WrongGradient too_many(const Comparison& c, const Jacobian& /*jacobian*/) {
  const bool some_move =
      any_element(c, [&](Index i) { return c.wrong(i) && !alike(c.n(i), nothing_at(c, i)); });
  return {some_move ? WrongKind::none : WrongKind::too_many,
          fmt::format("{} of the elements that get a gradient do not change the output: is a mask, "
                      "a pattern or a range of rows ignored?",
                      std::ranges::count(c.differs, true))};
}

// The line numbers that messages use.
std::vector<Index> numbers_of(const std::vector<Index>& lines, const std::vector<Index>& names) {
  const auto number_of = [&](Index line) { return names[static_cast<std::size_t>(line)]; };
  return names.empty() ? lines : mapped(lines, number_of);
}

// Whether wrong rows hold values of other rows. At least half of the wrong rows must; the rest may
// be zero or come from elsewhere.
WrongGradient rows_exchanged(const Comparison& c, const std::vector<Index>& wrong) {
  const Lines rows = rows_of(c.shape);
  const auto holds = [&](Index row, Index other) {
    bool anything = false;
    for (Index place = 0; place < rows.length; ++place) {
      const Index i = rows.element(row, place);
      if (!alike(c.a(i), slope_at(c, rows.element(other, place)))) {
        return false;
      }
      anything = anything || !alike(c.a(i), nothing_at(c, i));
    }
    return anything;
  };
  std::string pairs;
  std::size_t moved = 0;
  for (const Index row : wrong) {
    const Index other = first_where(rows.count, [&](Index i) { return i != row && holds(row, i); });
    if (other < 0) {
      continue;
    }
    ++moved;
    pairs += fmt::format("{}row {} has the gradient of row {}", pairs.empty() ? "" : ", ",
                         numbers_of({row}, c.rows)[0], numbers_of({other}, c.rows)[0]);
  }
  if (moved == 0 || 2 * moved < wrong.size()) {
    return {};
  }
  return {WrongKind::rows_exchanged,
          pairs + ": is the segment wrong, or the offset of its first row left out?"};
}

// The kind of mistake that the wrong lines have in common.
std::string common(const Comparison& c, const Lines& lines, const std::vector<Index>& wrong) {
  Comparison part{.shape = {static_cast<Index>(wrong.size()), lines.length}};
  for (const Index line : wrong) {
    for (Index place = 0; place < lines.length; ++place) {
      const auto i = static_cast<std::size_t>(lines.element(line, place));
      part.analytic.push_back(c.analytic[i]);
      part.numeric.push_back(c.numeric[i]);
      part.differs.push_back(c.differs[i]);
    }
  }
  if (is(part, [&](Index i) { return nothing_at(part, i); })) {
    return "; no gradient arrives there";
  }
  const double factor = best_factor(part);
  if (is(part, [&](Index i) { return slope_at(part, i, factor); })) {
    return fmt::format("; the gradient there is {} times the right one", factor_text(factor));
  }
  return "";
}

// "row 6 is", "columns 0, 4 are"
std::string they_are(const char* what, const std::vector<Index>& numbers) {
  return numbers.size() == 1 ? fmt::format("{} {} is", what, numbers[0])
                             : fmt::format("{}s {} are", what, listed(numbers));
}

// Wrong rows that hold the values of other rows; else wrong rows (or columns) if some rows (or
// columns) are right; else `none`.
WrongGradient in_some_lines(const Comparison& c, const Jacobian& jacobian) {
  const auto is_wrong = [&](Index i) { return c.wrong(i); };
  const std::vector<Index> rows = lines_where(rows_of(c.shape), is_wrong);
  if (c.shape.rank() > 1) {
    if (auto exchanged = rows_exchanged(c, rows); exchanged.kind != WrongKind::none) {
      return exchanged;
    }
  }
  const std::vector<Index> columns = lines_where(columns_of(c.shape), is_wrong);
  // Lines without a slope do not count: any mistake leaves them right.
  const auto counts = [&](Index i) { return c.wrong(i) || !alike(c.n(i), nothing_at(c, i)); };
  const std::size_t all_rows = lines_where(rows_of(c.shape), counts).size();
  const std::size_t all_columns =
      c.shape.rank() > 1 ? lines_where(columns_of(c.shape), counts).size() : columns.size();
  if (rows.size() == all_rows && columns.size() == all_columns) {
    return {};
  }
  const auto hint = [&](const std::string& lines, const std::string& shared, const char* guess) {
    const std::string cause = shared.empty() ? stray_share(c, jacobian) : "";
    return fmt::format("only {} wrong{}{}", lines, shared, cause.empty() ? guess : "; " + cause);
  };
  // The axis along which a smaller share of the lines is wrong.
  if (rows.size() * all_columns <= columns.size() * all_rows) {
    return WrongGradient{
        WrongKind::some_rows,
        hint(they_are(c.shape.rank() > 1 ? "row" : "element", numbers_of(rows, c.rows)),
             common(c, rows_of(c.shape), rows),
             ": check the bounds of loops, segments, the remainder of a vectorised loop")};
  }
  return {WrongKind::some_columns,
          hint(they_are("column", numbers_of(columns, c.columns)),
               common(c, columns_of(c.shape), columns),
               ": check heads, slices, the remainder of a vectorised loop")};
}

WrongGradient a_term(const Comparison& c, const Jacobian& jacobian) {
  for (const std::string& cause :
       {stray_share(c, jacobian), part_of_output(jacobian), lost_term(c)}) {
    if (!cause.empty()) {
      return {WrongKind::term, cause};
    }
  }
  std::vector<double> ratios;
  for (Index i = 0; i < c.size(); ++i) {
    if (c.wrong(i) && c.n(i) != 0) {
      ratios.push_back(c.a(i) / c.n(i));
    }
  }
  ratios.resize(std::max<std::size_t>(1, ratios.size()));
  const auto [least, most] = std::ranges::minmax(ratios);
  return {WrongKind::term,
          fmt::format("the ratios go from {} to {}, without a pattern: a term is missing or wrong",
                      factor_text(least, 3), factor_text(most, 3))};
}

}  // namespace

WrongGradient kind_of(const Comparison& c, const Jacobian& jacobian) {
  // `cotangent_ignored` is early because one number is also a multiple.
  for (const auto kind : {zeros, cotangent_ignored, a_multiple, a_transpose, one_element, too_many,
                          not_summed, in_some_lines}) {
    if (WrongGradient found = kind(c, jacobian); found.kind != WrongKind::none) {
      return found;
    }
  }
  return a_term(c, jacobian);
}

}  // namespace tapehead
