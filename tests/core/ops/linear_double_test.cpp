// The linear map, matrix product and transpose: gradients by differences. (Values:
// reference_cases.hpp.)
#include "core/ops/linear.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/plain.hpp"

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
  // A tied weight, and an input that is also the weight.
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& weight) { return linear(linear(x, weight), weight); },
      random_tensor({2, 3}, 1), random_tensor({3, 3}, 2));
  EXPECT_GRADCHECK([](const Var& x) { return linear(x, x); }, random_tensor({4, 3}, 1));
}

TEST(Linear, equals_matmul) {
  const Tensor x = random_tensor({9, 17}, 1);
  const Tensor W = random_tensor({33, 17}, 2);
  const auto product = [](const Var& a, const Var& w) { return matmul(a, transpose(w)); };
  expect_equals_plain(without_bias, product, x, W);
  expect_equals_plain(
      with_bias, [&](const Var& a, const Var& w, const Var& b) { return add(product(a, w), b); }, x,
      W, random_tensor({33}, 3));
}

TEST(Linear, gradients_with_some_rows_of_weight_and_bias) {
  const Tensor x = random_tensor({5, 4}, 1);
  const Tensor W = random_tensor({7, 4}, 2);
  for (const Index first : {0, 2, 4}) {
    const auto with = [&](const Var& a, const Var& weight, const Var& bias) {
      return linear_with_rows(a, weight, bias, {.first = first, .count = 3});
    };
    const auto without = [&](const Var& a, const Var& weight) {
      return linear_with_rows(a, weight, {}, {.first = first, .count = 3});
    };
    EXPECT_GRADCHECK(with, x, W, random_tensor({7}, 3));
    EXPECT_GRADCHECK(without, x, W);
    // A second use of the rest of the rows adds to the same gradient.
    const auto twice = [&](const Var& a, const Var& weight, const Var& bias) {
      return add(with(a, weight, bias),
                 linear_with_rows(a, weight, bias, {.first = 1, .count = 3}));
    };
    EXPECT_GRADCHECK(twice, x, W, random_tensor({7}, 3));
  }
  EXPECT_GRADCHECK(
      [](const Var& a, const Var& weight) {
        return linear_with_rows(linear(a, weight), weight, {}, {.first = 0, .count = 3});
      },
      x, random_tensor({4, 4}, 2));
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

TEST(Matmul, gradients) {
  const std::vector<std::pair<Shape, Shape>> shapes{
      {{3, 5}, {5, 4}},
      {{1, 5}, {5, 1}},
      {{0, 5}, {5, 4}},
      {{3, 0}, {0, 4}},
      {{3, 5}, {5, 0}}};  // the last three: empty matrices
  for (const auto& [a, b] : shapes) {
    SCOPED_TRACE(a.to_string() + b.to_string());
    EXPECT_GRADCHECK(matmul, random_tensor(a, 1), random_tensor(b, 2));
  }
  // The same Var given twice.
  EXPECT_GRADCHECK([](const Var& x) { return matmul(x, x); }, random_tensor({4, 4}, 1));
  EXPECT_GRADCHECK([](const Var& x) { return matmul(transpose(x), x); }, random_tensor({3, 5}, 1));
}

TEST(Matmul, values_by_three_loops) {
  const Tensor a = random_tensor({17, 33}, 1);
  const Tensor b = random_tensor({33, 29}, 2);
  Tape tape(false);
  const Tensor y = matmul(tape.constant(a), tape.constant(b)).value();
  for (Index i = 0; i < 17; ++i) {
    for (Index j = 0; j < 29; ++j) {
      double expected = 0;
      for (Index k = 0; k < 33; ++k) {
        expected += a.row(i)[k] * b.row(k)[j];
      }
      EXPECT_NEAR(y.row(i)[j], expected, 1e-13);
    }
  }
}

// Sizes below a tile, exactly one tile, and more than one tile.
TEST(Transpose, gradients) {
  for (const Shape& shape : {Shape{3, 5}, Shape{1, 7}, Shape{16, 2}, Shape{18, 35}, Shape{0, 4}}) {
    EXPECT_GRADCHECK(transpose, random_tensor(shape, 1));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
