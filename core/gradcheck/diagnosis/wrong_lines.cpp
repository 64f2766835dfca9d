#include "core/gradcheck/diagnosis/comparison.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

// The line numbers that messages use.
std::vector<Index> numbers_of(const std::vector<Index>& lines, const std::vector<Index>& names) {
  std::vector<Index> result;
  for (const Index line : lines) {
    result.push_back(names.empty() ? line : names[static_cast<std::size_t>(line)]);
  }
  return result;
}

// Whether wrong rows hold the values of other rows: at least half of them. The rest may come from
// elsewhere, or be zero.
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
    Index other = 0;
    while (other < rows.count && (other == row || !holds(row, other))) {
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
  return {WrongKind::rows_exchanged,
          pairs + ": a wrong segment, or a first row left out of account?"};
}

// What the wrong lines have in common.
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
    return "; nothing arrives there";
  }
  const double factor = best_factor(part);
  if (is(part, [&](Index i) { return slope_at(part, i, factor); })) {
    return fmt::format("; {} times what is right arrives there", factor_text(factor));
  }
  return "";
}

// "row 6 is", "columns 0, 4 are"
std::string they_are(const char* what, const std::vector<Index>& numbers) {
  return numbers.size() == 1 ? fmt::format("{} {} is", what, numbers[0])
                             : fmt::format("{}s {} are", what, listed(numbers));
}

}  // namespace

WrongGradient in_some_lines(const Comparison& c, const Jacobian& jacobian) {
  const auto is_wrong = [&](Index i) { return c.wrong(i); };
  const std::vector<Index> rows = lines_where(rows_of(c.shape), is_wrong);
  if (c.shape.rank() > 1) {
    if (auto exchanged = rows_exchanged(c, rows); exchanged.kind != WrongKind::none) {
      return exchanged;
    }
  }
  const std::vector<Index> columns = lines_where(columns_of(c.shape), is_wrong);
  // Lines without a slope are right whatever the mistake is.
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
  // The axis along which the smaller share is wrong.
  if (rows.size() * all_columns <= columns.size() * all_rows) {
    return WrongGradient{
        WrongKind::some_rows,
        hint(they_are(c.shape.rank() > 1 ? "row" : "element", numbers_of(rows, c.rows)),
             common(c, rows_of(c.shape), rows),
             ": a first or last one, a segment, a rest of a vectorised loop?")};
  }
  return {WrongKind::some_columns, hint(they_are("column", numbers_of(columns, c.columns)),
                                        common(c, columns_of(c.shape), columns),
                                        ": a head, a slice, a rest of a vectorised loop?")};
}

}  // namespace tapehead
