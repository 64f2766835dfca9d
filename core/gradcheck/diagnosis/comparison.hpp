// The gradient of one input beside its finite differences, element by element. Verdicts are based
// on it.
#pragma once

#include "core/gradcheck/diagnosis/verdict.hpp"
#include "core/gradcheck/slopes/slope.hpp"
#include "core/shape.hpp"

namespace tapehead {

struct Comparison {
  Shape shape;
  std::vector<double> analytic{};
  std::vector<Slope> numeric{};
  std::vector<bool> differs{};  // beyond tolerance
  // The row and column numbers that messages use; empty: 0, 1, 2, ...
  std::vector<Index> rows{};
  std::vector<Index> columns{};
  std::vector<double> at{};  // the input's numbers; empty: not known

  Index size() const { return shape.size(); }
  double a(Index i) const { return analytic[static_cast<std::size_t>(i)]; }
  double n(Index i) const { return numeric[static_cast<std::size_t>(i)].value; }
  double error(Index i) const { return numeric[static_cast<std::size_t>(i)].error; }
  bool wrong(Index i) const { return differs[static_cast<std::size_t>(i)]; }
};

// How the output depends on the input. Some kinds of mistakes show only here, and are not searched
// for if there are no columns.
struct Jacobian {
  Shape output;
  std::vector<double> cotangent{};             // of the output's shape
  std::vector<std::vector<double>> columns{};  // for each element of the input, dy/dx
  std::vector<std::vector<double>> errors{};   // of these
  // The result of backward for each single element of the cotangent, and for a cotangent of zeros.
  std::vector<std::vector<double>> backward{};
  std::vector<double> backward_of_zero{};
};

struct WrongGradient {
  WrongKind kind = WrongKind::none;
  std::string hint{};
};

// A number from finite differences, and how far it may be off.
struct Estimate {
  double value = 0;
  double error = 0;
};

// Whether x equals the estimate within the error of the estimate.
bool alike(double x, const Estimate& estimate);

// 0 with the error of the finite difference of element i.
Estimate nothing_at(const Comparison& comparison, Index i);

bool any_element(const Comparison& comparison, const std::function<bool(Index)>& condition);

// What the gradient of an element of the input would be with another cotangent.
Estimate with_cotangent(const Jacobian& jacobian, Index input,
                        const std::function<double(Index output)>& cotangent);

// What one row of the output contributes to the right gradient.
Estimate share_of(Index row, const Jacobian& jacobian, Index input);

// Which of the kinds the differing elements have in common. `sizes`: extents that may appear as a
// wrong factor, such as the axes of the function's inputs and output.
WrongGradient kind_of(const Comparison& comparison, const Jacobian& jacobian,
                      const std::vector<Index>& sizes);

// The lines (rows, or columns) of a matrix; of a vector the elements.
struct Lines {
  Index count;
  Index length;
  std::function<Index(Index line, Index place)> element;
};

Lines rows_of(const Shape& shape);
Lines columns_of(const Shape& shape);

// The lines in which the condition holds for some element.
std::vector<Index> lines_where(const Lines& lines, const std::function<bool(Index)>& condition);

// Guesses of what made a gradient wrong when its error follows no simple pattern: clauses for a
// hint, or nothing.

// Parts of the cotangent arrive at the wrong place: something is added that does not come from
// dL/dy; an element of the output sends a gradient to an element that it does not depend on; or a
// row gets the share of only one row of the output where several contribute.
std::string stray_share(const Comparison& comparison, const Jacobian& jacobian);

// Gradients are wrong only as far as they come from some columns or rows of the output.
std::string part_of_output(const Jacobian& jacobian);

// A term is missing that makes each row of the gradient sum to 0, or makes it orthogonal to the row
// of the input.
std::string lost_term(const Comparison& comparison);

}  // namespace tapehead
