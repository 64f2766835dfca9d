// Mistakes in the backward passes of the plain ops.
#pragma once

#include "tests/core/gradcheck/mutants/mistake.hpp"
#include "tests/core/gradcheck/mutants/plain_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Replaces a gradient by a matrix product of dy and the inputs.
template <class Function>
Spoil gradient_as(std::size_t input, const Function& product) {
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
  const char* const squares = "matmul, squares";
  return {
      {"linear", {1}, "the last row is left out of the sum", {term}, forget_last_row},
      {"linear", {2}, "the last row is left out of the sum", {term}, forget_last_row},
      {"matmul", {1}, "the last row is left out of the sum", {term}, forget_last_row},
      {squares,
       {0},
       "dy b for dy bᵀ",
       {term},
       gradient_as(0, [](const Var& dy, const Var&, const Var& b) { return matmul(dy, b); })},
      {squares,
       {1},
       "a dy for aᵀ dy",
       {term},
       gradient_as(1, [](const Var& dy, const Var& a, const Var&) { return matmul(a, dy); })},
      {squares,
       {0},
       "b dyᵀ for dy bᵀ",
       {transposed},
       gradient_as(
           0, [](const Var& dy, const Var&, const Var& b) { return matmul(b, transpose(dy)); })},
      {squares,
       {1},
       "dyᵀ a for aᵀ dy",
       {transposed},
       gradient_as(
           1, [](const Var& dy, const Var& a, const Var&) { return matmul(transpose(dy), a); })},
      {squares, {0, 1}, "the two gradients are exchanged", {term}, exchange_first_two},
  };
}

inline std::vector<Mistake> sum_and_product_mistakes() {
  using enum WrongKind;
  return {
      {"add, a row", {1}, "the last row is left out of the sum", {term}, forget_last_row},
      {"add, a row", {1}, "the mean for the sum", {factor}, as_of([](const Vars& x) {
         return add(x[0], scale(x[1], Scalar(1.0 / 3)));
       })},
      {"multiply", {0, 1}, "each input's own numbers for the other's", {term}, exchange_first_two},
      {"multiply", {1}, "a left out", {term}, as_of([](const Vars& x) { return add(x[0], x[1]); })},
      {"multiply, a row", {1}, "a left out", {term}, as_of([](const Vars& x) {
         return add(x[0], x[1]);
       })},
      {"multiply, a row", {1}, "the last row is left out of the sum", {term}, forget_last_row},
  };
}

inline std::vector<Mistake> function_mistakes() {
  using enum WrongKind;
  return {
      {"scale", {0}, "the factor left out", {factor}, as_of([](const Vars& x) {
         return scale(x[0], 1);
       })},
      {"scale", {0}, "divided by the factor", {factor}, as_of([](const Vars& x) {
         return scale(x[0], 1 / subject_factor);
       })},
      {"exp", {0}, "x for y", {term}, as_of([](const Vars& x) {
         return with_slope(x[0], [](Scalar a) { return a; });
       })},
      {"exp", {0}, "y left out", {term}, as_of([](const Vars& x) { return scale(x[0], 1); })},
      {"log", {0}, "x for 1 / x", {term}, as_of([](const Vars& x) {
         return with_slope(x[0], [](Scalar a) { return a; });
       })},
      {"log", {0}, "1 / x²", {term}, as_of([](const Vars& x) {
         return with_slope(x[0], [](Scalar a) { return 1 / (a * a); });
       })},
      {"log", {0}, "1 / y for 1 / x", {term}, as_of([](const Vars& x) {
         return with_slope(x[0], [](Scalar a) { return 1 / std::log(a); });
       })},
  };
}

inline std::vector<Mistake> reduce_mistakes() {
  using enum WrongKind;
  const auto first = [](const Var& x, Index axis) { return slice(x, axis, 0, 1); };
  return {
      {"sum, over rows",
       {0},
       "only the first row gets it",
       {some_rows},
       as_of([first](const Vars& x) { return sum(first(x[0], 0), 0); })},
      {"sum, in each row",
       {0},
       "only the first column gets it",
       {some_columns},
       as_of([first](const Vars& x) { return sum(first(x[0], 1), 1); })},
      {"mean", {0}, "not divided", {factor}, as_of([](const Vars& x) { return sum(x[0]); })},
      {"mean", {0}, "divided by the rows alone", {factor}, as_of([](const Vars& x) {
         return scale(mean(x[0]), 4);
       })},
      {"mean, over rows", {0}, "not divided", {factor}, as_of([](const Vars& x) {
         return sum(x[0], 0);
       })},
      {"mean, over rows", {0}, "divided by the columns", {factor}, as_of([](const Vars& x) {
         return scale(sum(x[0], 0), 0.25);
       })},
      {"mean, in each row", {0}, "not divided", {factor}, as_of([](const Vars& x) {
         return sum(x[0], 1);
       })},
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
