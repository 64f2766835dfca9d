// Mistakes in the backward passes of the plain ops.
#pragma once

#include "tests/core/gradcheck/mutants/mistake.hpp"
#include "tests/core/gradcheck/mutants/plain_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Replaces a gradient by a matrix product of dy and the inputs.
template <class Product>
Spoil gradient_as(std::size_t input, const Product& product) {
  return [input, product](BackwardPass& pass) {
    Tape tape(false);
    const Var dy = tape.constant(pass.dy);
    pass.gradients[input] =
        product(dy, tape.constant(pass.inputs[0]), tape.constant(pass.inputs[1])).value();
  };
}

inline void exchange_first_two(BackwardPass& pass) {
  std::swap(pass.gradients[0], pass.gradients[1]);
}

inline std::vector<Mistake> product_mistakes() {
  using enum WrongKind;
  const std::string squares = "matmul, squares";
  const auto dy_b = [](const Var& dy, const Var&, const Var& b) { return matmul(dy, b); };
  const auto a_dy = [](const Var& dy, const Var& a, const Var&) { return matmul(a, dy); };
  const auto b_dy_t = [](const Var& dy, const Var&, const Var& b) {
    return matmul(b, transpose(dy));
  };
  const auto dy_t_a = [](const Var& dy, const Var& a, const Var&) {
    return matmul(transpose(dy), a);
  };
  return {
      last_row_forgotten("linear", 1),
      last_row_forgotten("linear", 2),
      last_row_forgotten("matmul", 1),
      {squares, {0}, "dy b for dy bᵀ", {term}, gradient_as(0, dy_b)},
      {squares, {1}, "a dy for aᵀ dy", {term}, gradient_as(1, a_dy)},
      {squares, {0}, "b dyᵀ for dy bᵀ", {transposed}, gradient_as(0, b_dy_t)},
      {squares, {1}, "dyᵀ a for aᵀ dy", {transposed}, gradient_as(1, dy_t_a)},
      {squares, {0, 1}, "the two gradients are exchanged", {term}, exchange_first_two},
  };
}

inline std::vector<Mistake> arithmetic_mistakes() {
  using enum WrongKind;
  const std::string no_a = "a left out";
  const Spoil as_sum = as_of([](const Vars& x) { return add(x[0], x[1]); });
  const Spoil as_mean = as_of([](const Vars& x) { return add(x[0], scale(x[1], 1.0 / 3)); });
  const auto scaled = [](Scalar by) {
    return as_of([by](const Vars& x) { return scale(x[0], by); });
  };
  const auto slope = [](const std::function<Scalar(Scalar)>& of) {
    return as_of([of](const Vars& x) { return with_slope(x[0], of); });
  };
  return {
      last_row_forgotten("add, a row", 1),
      {"add, a row", {1}, "the mean for the sum", {factor}, as_mean},
      {"multiply", {0, 1}, "each input's own numbers for the other's", {term}, exchange_first_two},
      {"multiply", {1}, no_a, {term}, as_sum},
      {"multiply, a row", {1}, no_a, {term}, as_sum},
      last_row_forgotten("multiply, a row", 1),
      {"scale", {0}, "the factor left out", {factor}, scaled(1)},
      {"scale", {0}, "divided by the factor", {factor}, scaled(1 / subject_factor)},
      {"exp", {0}, "x for y", {term}, slope([](Scalar a) { return a; })},
      {"exp", {0}, "y left out", {term}, scaled(1)},
      {"log", {0}, "x for 1 / x", {term}, slope([](Scalar a) { return a; })},
      {"log", {0}, "1 / x²", {term}, slope([](Scalar a) { return 1 / (a * a); })},
      {"log", {0}, "1 / y for 1 / x", {term}, slope([](Scalar a) { return 1 / std::log(a); })},
  };
}

inline std::vector<Mistake> reduce_mistakes() {
  using enum WrongKind;
  const auto first_of = [](Index axis) {
    return as_of([axis](const Vars& x) { return sum(slice(x[0], axis, 0, 1), axis); });
  };
  const auto sum_along = [](Index axis, Scalar by) {
    return as_of([axis, by](const Vars& x) { return scale(sum(x[0], axis), by); });
  };
  const Spoil whole_sum = as_of([](const Vars& x) { return sum(x[0]); });
  const Spoil over_rows = as_of([](const Vars& x) { return scale(mean(x[0]), 4); });
  return {
      {"sum, over rows", {0}, "only the first row gets it", {some_rows}, first_of(0)},
      {"sum, in each row", {0}, "only the first column gets it", {some_columns}, first_of(1)},
      {"mean", {0}, "not divided", {factor}, whole_sum},
      {"mean", {0}, "divided by the rows alone", {factor}, over_rows},
      {"mean, over rows", {0}, "not divided", {factor}, sum_along(0, 1)},
      {"mean, over rows", {0}, "divided by the columns", {factor}, sum_along(0, 0.25)},
      {"mean, in each row", {0}, "not divided", {factor}, sum_along(1, 1)},
  };
}

// The correct rows or columns are 2 ... 5 for concatenate's b, and 1 and 2 for slice. Misplaced
// columns have no kind of their own, so `term` is expected.
inline std::vector<Mistake> piece_mistakes() {
  using enum WrongKind;
  const auto taken_from = [](std::size_t input, Index axis, Index begin) {
    return [input, axis, begin](BackwardPass& pass) {
      Tape tape(false);
      const Index end = begin + pass.inputs[input].dim(axis);
      pass.gradients[input] = slice(tape.constant(pass.dy), axis, begin, end).value().copy();
    };
  };
  const auto of_slice = [](Index axis, Index begin) {
    return as_of([axis, begin](const Vars& x) { return slice(x[0], axis, begin, begin + 2); });
  };
  return {
      {"concatenate, rows", {1}, "taken one row too early", {rows_exchanged}, taken_from(1, 0, 1)},
      {"concatenate, rows", {0}, "the last rows for the first", {term}, taken_from(0, 0, 4)},
      {"concatenate, columns", {1}, "taken one column too early", {term}, taken_from(1, 1, 1)},
      {"concatenate, columns", {0}, "the last columns for the first", {term}, taken_from(0, 1, 4)},
      {"slice, rows", {0}, "put one row too late", {rows_exchanged}, of_slice(0, 2)},
      {"slice, rows", {0}, "put at row 0", {rows_exchanged}, of_slice(0, 0)},
      {"slice, columns", {0}, "put one column too late", {some_columns, term}, of_slice(1, 2)},
      {"slice, columns", {0}, "put at column 0", {some_columns, term}, of_slice(1, 0)},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
