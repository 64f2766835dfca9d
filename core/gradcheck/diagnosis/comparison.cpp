#include "core/gradcheck/diagnosis/comparison.hpp"

#include "core/text.hpp"

namespace tapehead {

Estimate scaled(const Estimate& estimate, double factor) {
  return {.value = factor * estimate.value, .error = std::abs(factor) * estimate.error};
}

bool alike(double x, const Estimate& estimate) {
  return std::abs(x - estimate.value) <=
         1e-7 * std::max(std::abs(x), std::abs(estimate.value)) + doubt_share * estimate.error;
}

Estimate nothing_at(const Comparison& c, Index i) { return {.value = 0, .error = c.error(i)}; }

Index first_where(Index count, const std::function<bool(Index)>& condition) {
  Index i = 0;
  while (i < count && !condition(i)) {
    ++i;
  }
  return i < count ? i : -1;
}

bool any_element(const Comparison& c, const std::function<bool(Index)>& condition) {
  return first_where(c.size(), condition) >= 0;
}

Lines rows_of(const Shape& shape) {
  const Index count = shape.rank() == 0 ? 1 : shape[0];
  const Index length = count == 0 ? 0 : shape.size() / count;
  return {count, length, length, 1};
}

Lines columns_of(const Shape& shape) {
  const Index count = shape[shape.rank() - 1];
  const Index length = count == 0 ? 0 : shape.size() / count;
  return {count, length, 1, count};
}

std::vector<Index> lines_where(const Lines& lines, const std::function<bool(Index)>& condition) {
  std::vector<Index> result;
  for (Index line = 0; line < lines.count; ++line) {
    const auto fulfils = [&](Index place) { return condition(lines.element(line, place)); };
    if (first_where(lines.length, fulfils) >= 0) {
      result.push_back(line);
    }
  }
  return result;
}

Estimate with_cotangent(const Jacobian& jacobian, Index input,
                        const std::function<double(Index output)>& cotangent) {
  Estimate sum;
  Index output = 0;
  for (const Estimate& slope : jacobian.columns[static_cast<std::size_t>(input)]) {
    const Estimate part = scaled(slope, cotangent(output++));
    sum.value += part.value;
    sum.error += part.error;
  }
  return sum;
}

Estimate share_of(Index row, const Jacobian& jacobian, Index input) {
  const Index length = rows_of(jacobian.output).length;
  return with_cotangent(jacobian, input, [&](Index o) {
    return o / length == row ? jacobian.cotangent[static_cast<std::size_t>(o)] : 0;
  });
}

namespace {

std::string not_from_output(const Comparison& c, const Jacobian& jacobian) {
  const auto is_added = [&](Index i) {
    return !alike(jacobian.backward_of_zero[static_cast<std::size_t>(i)], nothing_at(c, i));
  };
  return any_element(c, is_added)
             ? "if dL/dy is 0, the gradient is not 0: backward adds a term without the factor dL/dy"
             : "";
}

std::string sent_astray(const Comparison& c, const Jacobian& jacobian) {
  std::string first;
  Index others = -1;
  for (std::size_t o = 0; o < jacobian.backward.size(); ++o) {
    for (std::size_t i = 0; i < jacobian.columns.size(); ++i) {
      if (jacobian.columns[i][o].value != 0 ||
          alike(jacobian.backward[o][i], nothing_at(c, static_cast<Index>(i)))) {
        continue;
      }
      if (++others == 0) {
        first = fmt::format(
            "the output's {} does not depend on the input's {}, but sends a gradient there",
            element_name(static_cast<Index>(o), jacobian.output),
            element_name(static_cast<Index>(i), c.shape));
      }
    }
  }
  return others < 0
             ? ""
             : fmt::format("{}{}: is a mask, a pattern, a segment or an axis mixed up?", first,
                           others > 0 ? fmt::format(" (more pairs like this: {})", others) : "");
}

// Whether a row of the gradient equals the share of an output row, and this share is not zero.
bool holds_share(Index row, Index output_row, const Comparison& c, const Jacobian& jacobian) {
  const Lines rows = rows_of(c.shape);
  bool any = false;
  for (Index place = 0; place < rows.length; ++place) {
    const Index i = rows.element(row, place);
    const Estimate share = share_of(output_row, jacobian, i);
    any = any || !alike(0, share);
    if (!alike(c.a(i), share)) {
      return false;
    }
  }
  return any;
}

std::string overwritten(const Comparison& c, const Jacobian& jacobian) {
  if (c.shape.rank() < 2) {
    return "";
  }
  const Lines rows = rows_of(c.shape);
  const Index count = rows_of(jacobian.output).count;
  std::string held;
  for (const Index row : lines_where(rows, [&](Index i) { return c.wrong(i); })) {
    const Index output_row =
        first_where(count, [&](Index other) { return holds_share(row, other, c, jacobian); });
    if (output_row < 0) {
      return "";
    }
    held += fmt::format("row {} has the gradient from the output's row {} only, ", row, output_row);
  }
  return held +
         "but a row that is used several times needs the sum over its uses: add, do not assign";
}

// The lines of the output that cause wrong gradients: backward passes on a wrong share from at
// least one of their elements. Empty if all lines cause wrong gradients.
std::vector<Index> wrong_sources(const Jacobian& jacobian, const Lines& lines) {
  std::vector<Index> wrong = lines_where(lines, [&](Index element) {
    const auto o = static_cast<std::size_t>(element);
    return first_where(std::ssize(jacobian.columns), [&](Index input) {
             const auto i = static_cast<std::size_t>(input);
             return !alike(jacobian.backward[o][i],
                           scaled(jacobian.columns[i][o], jacobian.cotangent[o]));
           }) >= 0;
  });
  return std::ssize(wrong) < lines.count ? wrong : std::vector<Index>{};
}

using Numbers = std::function<double(Index)>;

// Whether Σ_d u_d v_d is close to zero in each row, relative to Σ_d |u_d v_d|.
bool at_right_angles(const Comparison& c, const Numbers& u, const Numbers& v, double share) {
  const Lines rows = rows_of(c.shape);
  for (Index row = 0; row < rows.count; ++row) {
    double sum = 0;
    double terms = 0;
    for (Index place = 0; place < rows.length; ++place) {
      const Index i = rows.element(row, place);
      sum += u(i) * v(i);
      terms += std::abs(u(i) * v(i));
    }
    if (std::abs(sum) > share * terms) {
      return false;
    }
  }
  return true;
}

// Whether `move`, applied to whole rows, changes nothing according to the slopes, but something
// according to the gradient.
bool loses(const Comparison& c, const Numbers& move, double share) {
  const Numbers right = [&](Index i) { return c.n(i); };
  const Numbers wrong = [&](Index i) { return c.a(i); };
  return at_right_angles(c, right, move, share) && !at_right_angles(c, wrong, move, share);
}

}  // namespace

std::string stray_share(const Comparison& c, const Jacobian& jacobian) {
  if (jacobian.columns.empty()) {
    return "";
  }
  for (const auto cause : {not_from_output, sent_astray, overwritten}) {
    if (std::string text = cause(c, jacobian); !text.empty()) {
      return text;
    }
  }
  return "";
}

std::string part_of_output(const Jacobian& jacobian) {
  const bool matrix = jacobian.output.rank() > 1;
  const std::vector<Index> columns =
      matrix ? wrong_sources(jacobian, columns_of(jacobian.output)) : std::vector<Index>{};
  const std::vector<Index> rows = wrong_sources(jacobian, rows_of(jacobian.output));
  const bool by_column = !columns.empty() && (rows.empty() || columns.size() <= rows.size());
  if (!by_column && rows.empty()) {
    return "";
  }
  return fmt::format("the gradient from the output's {} {} is wrong, and the rest is right: {}",
                     by_column ? "columns"
                     : matrix  ? "rows"
                               : "elements",
                     listed(by_column ? columns : rows),
                     "check slices, heads, segments, the remainder of a vectorised loop");
}

std::string lost_term(const Comparison& c) {
  if (c.shape.rank() != 2 || c.shape[1] < 2 || c.at.empty()) {
    return "";
  }
  if (loses(c, [](Index) { return 1; }, 1e-6)) {
    return "adding a number to a whole row of the input does not change the output, so each row of "
           "the gradient should sum to 0, but does not: is a sum or a mean not subtracted?";
  }
  // Even in a correct op a factor changes a little, because of the ε beside a variance.
  if (loses(c, [&](Index i) { return c.at[static_cast<std::size_t>(i)]; }, 1e-3)) {
    return "multiplying a whole row of the input does not change the output, so each row of the "
           "gradient should be orthogonal to the input's row, but is not: is the term of a "
           "variance or a norm missing?";
  }
  return "";
}

}  // namespace tapehead
