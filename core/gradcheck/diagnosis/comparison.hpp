// The gradient of one input beside its finite differences, element by element: the basis of
// verdicts.
#pragma once

#include "core/gradcheck/diagnosis/verdict.hpp"
#include "core/gradcheck/slopes/slope.hpp"
#include "core/shape.hpp"

namespace tapehead {

struct Comparison {
  Shape shape;
  std::vector<double> analytic{};
  std::vector<Slope> numeric{};
  std::vector<bool> differs{};  // by more than the tolerance
  // The row and column numbers that messages use; empty: 0, 1, 2, ...
  std::vector<Index> rows{};
  std::vector<Index> columns{};
  std::vector<double> at{};  // the input's numbers; empty: unknown

  Index size() const { return shape.size(); }
  double a(Index i) const { return analytic[static_cast<std::size_t>(i)]; }
  const Slope& slope(Index i) const { return numeric[static_cast<std::size_t>(i)]; }
  double n(Index i) const { return slope(i).value; }
  double error(Index i) const { return slope(i).error; }
  bool wrong(Index i) const { return differs[static_cast<std::size_t>(i)]; }
};

// How the output depends on one input. Kinds of mistakes that show only here need the columns.
struct Jacobian {
  Shape output;
  // Extents that may appear as a wrong factor: the axes of the function's inputs and output.
  std::vector<Index> sizes{};
  std::vector<double> cotangent{};               // with the output's shape
  std::vector<std::vector<Estimate>> columns{};  // dy/dx for each element of the input
  // The results of backward for each single element of the cotangent, and for a cotangent of zeros.
  std::vector<std::vector<double>> backward{};
  std::vector<double> backward_of_zero{};
};

struct WrongGradient {
  WrongKind kind = WrongKind::none;
  std::string hint{};
};

Estimate scaled(const Estimate& estimate, double factor);

// Whether x equals the estimate within the estimate's error.
bool alike(double x, const Estimate& estimate);

// The value 0 with the error of element i's finite difference.
Estimate nothing_at(const Comparison& comparison, Index i);

// The first of the numbers 0 ... count - 1 that fulfils the condition; -1: none.
Index first_where(Index count, const std::function<bool(Index)>& condition);

bool any_element(const Comparison& comparison, const std::function<bool(Index)>& condition);

// The right gradient of one input element for another cotangent.
Estimate with_cotangent(const Jacobian& jacobian, Index input,
                        const std::function<double(Index output)>& cotangent);

// What one row of the output contributes to the right gradient of an input element.
Estimate share_of(Index row, const Jacobian& jacobian, Index input);

// The kind of mistake that the differing elements have in common.
WrongGradient kind_of(const Comparison& comparison, const Jacobian& jacobian);

// The lines of a tensor: rows or columns of a matrix, elements of a vector.
struct Lines {
  Index count;
  Index length;
  Index line_step;
  Index place_step;

  Index element(Index line, Index place) const { return line * line_step + place * place_step; }
};

Lines rows_of(const Shape& shape);
Lines columns_of(const Shape& shape);

// The lines in which some element fulfils the condition.
std::vector<Index> lines_where(const Lines& lines, const std::function<bool(Index)>& condition);

// Guesses about a wrong gradient whose error follows no simple pattern. Each returns a clause for a
// hint, or an empty string.

// Parts of the cotangent arrive at the wrong place. One of three mistakes: the gradient contains a
// term without the factor dL/dy; an output element sends a gradient to an input element on which it
// does not depend; an input row gets the share of one output row although several rows contribute.
std::string stray_share(const Comparison& comparison, const Jacobian& jacobian);

// Only the shares of some columns or rows of the output are wrong.
std::string part_of_output(const Jacobian& jacobian);

// A missing term: with it, each row of the gradient would sum to 0 or be orthogonal to the row of
// the input.
std::string lost_term(const Comparison& comparison);

}  // namespace tapehead
