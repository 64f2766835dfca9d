// The linear map: gradients by differences, values and gradients against matmul.
#include "core/ops/linear.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/plain.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Var without_bias(const Var& x, const Var& weight) { return linear(x, weight); }
Var with_bias(const Var& x, const Var& weight, const Var& bias) { return linear(x, weight, bias); }

TEST(Linear, gradients) {
  for (const Index N : {5, 1, 0}) {
    SCOPED_TRACE(N);
    EXPECT_GRADCHECK(without_bias, random_tensor({N, 3}, 1), random_tensor({7, 3}, 2));
    EXPECT_GRADCHECK(with_bias, random_tensor({N, 3}, 1), random_tensor({7, 3}, 2),
                     random_tensor({7}, 3));
  }
}

// A tied weight, and an input that is also the weight.
TEST(Linear, gradients_of_the_same_var_twice) {
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& weight) { return linear(linear(x, weight), weight); },
      random_tensor({2, 3}, 1), random_tensor({3, 3}, 2));
  EXPECT_GRADCHECK([](const Var& x) { return linear(x, x); }, random_tensor({4, 3}, 1));
}

TEST(Linear, equals_matmul) {
  const Tensor x = random_tensor({9, 17}, 1);
  const Tensor weight = random_tensor({33, 17}, 2);
  expect_equals_plain(
      without_bias, [](const Var& a, const Var& w) { return matmul(a, transpose(w)); }, x, weight);
  expect_equals_plain(
      with_bias,
      [](const Var& a, const Var& w, const Var& b) { return add(matmul(a, transpose(w)), b); }, x,
      weight, random_tensor({33}, 3));
}

TEST(Linear, gradients_with_the_first_rows_of_a_weight_alone) {
  const auto first_three = [](const Var& x, const Var& weight) {
    return linear_with_rows(x, weight, {}, {.first = 0, .count = 3});
  };
  EXPECT_GRADCHECK(first_three, random_tensor({5, 4}, 1), random_tensor({7, 4}, 2));
  EXPECT_GRADCHECK(
      [&](const Var& x, const Var& weight) { return first_three(linear(x, weight), weight); },
      random_tensor({5, 4}, 1), random_tensor({4, 4}, 2));
}

TEST(Linear, gradients_with_some_rows_of_weight_and_bias) {
  for (const Index first : {0, 2, 4}) {
    const auto with = [&](const Var& x, const Var& weight, const Var& bias) {
      return linear_with_rows(x, weight, bias, {.first = first, .count = 3});
    };
    const auto without = [&](const Var& x, const Var& weight) {
      return linear_with_rows(x, weight, {}, {.first = first, .count = 3});
    };
    EXPECT_GRADCHECK(with, random_tensor({5, 4}, 1), random_tensor({7, 4}, 2),
                     random_tensor({7}, 3));
    EXPECT_GRADCHECK(without, random_tensor({5, 4}, 1), random_tensor({7, 4}, 2));
    // A second use of the rest of the rows adds to the same gradient.
    const auto twice = [&](const Var& x, const Var& weight, const Var& bias) {
      return add(with(x, weight, bias),
                 linear_with_rows(x, weight, bias, {.first = 1, .count = 3}));
    };
    EXPECT_GRADCHECK(twice, random_tensor({5, 4}, 1), random_tensor({7, 4}, 2),
                     random_tensor({7}, 3));
  }
}

TEST(Linear, rows_that_a_weight_does_not_have_are_refused) {
  Tape tape(false);
  const Var x = tape.constant(random_tensor({2, 4}, 1));
  const Var weight = tape.constant(random_tensor({7, 4}, 2));
  EXPECT_THAT([&] { linear_with_rows(x, weight, {}, {.first = 5, .count = 3}); },
              ThrowsMessage<ShapeError>(HasSubstr("7 rows: rows 5 to 7 cannot be taken")));
  const Var bias = tape.constant(random_tensor({2}, 3));
  EXPECT_THAT([&] { linear_with_rows(x, weight, bias, {.first = 4, .count = 3}); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("linear.bias"), HasSubstr("(7)"))));
}

TEST(Linear, with_a_bias_for_the_first_rows_of_a_weight_alone) {
  const auto first_rows = [](const Var& x, const Var& weight, const Var& bias) {
    return linear_with_rows(x, weight, bias, {.first = 0, .count = 3});
  };
  for (const Index N : {5, 1, 0}) {
    EXPECT_GRADCHECK(first_rows, random_tensor({N, 4}, 1), random_tensor({7, 4}, 2),
                     random_tensor({3}, 3));
  }
  expect_equals_plain(
      first_rows,
      [](const Var& x, const Var& weight, const Var& bias) {
        return add(linear_with_rows(x, weight, {}, {.first = 0, .count = 3}), bias);
      },
      random_tensor({5, 4}, 1), random_tensor({7, 4}, 2), random_tensor({3}, 3));
}

TEST(Linear, shape_errors_name_the_op_and_both_shapes) {
  Tape tape;
  const Var x = tape.variable(random_tensor({2, 3}, 1));
  const Var weight = tape.variable(random_tensor({5, 4}, 2));
  EXPECT_THAT([&] { linear(x, weight); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("linear.weight for x (2, 3)"),
                                              HasSubstr("expected (5, 3), got (5, 4)"))));
  const Var fits = tape.variable(random_tensor({5, 3}, 2));
  EXPECT_THAT([&] { linear(x, fits, tape.variable(random_tensor({3}, 3))); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("linear.bias for weight (5, 3)"),
                                              HasSubstr("expected (5), got (3)"))));
  const Var line = tape.variable(random_tensor({3}, 3));
  EXPECT_THAT([&] { linear(line, fits); },
              ThrowsMessage<ShapeError>(HasSubstr("linear.x: expected two axes, got (3)")));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
