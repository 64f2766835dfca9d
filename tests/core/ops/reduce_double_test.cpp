// Sums and means: values by hand, gradients by differences.

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Var sum_all(const Var& x) { return sum(x); }
Var mean_all(const Var& x) { return mean(x); }

TEST(Reduce, gradients_over_everything) {
  for (const Shape& shape : {Shape{3, 19}, Shape{1, 1}, Shape{7}, Shape{2, 3, 5}}) {
    EXPECT_GRADCHECK(sum_all, random_tensor(shape, 1));
    EXPECT_GRADCHECK(mean_all, random_tensor(shape, 1));
  }
  EXPECT_GRADCHECK(sum_all, random_tensor({0, 5}, 1));
}

TEST(Reduce, gradients_over_an_axis) {
  for (const Index axis : {Index{0}, Index{1}}) {
    for (const Shape& shape : {Shape{3, 19}, Shape{21, 2}, Shape{1, 4}, Shape{4, 1}}) {
      EXPECT_GRADCHECK([axis](const Var& x) { return sum(x, axis); }, random_tensor(shape, 1));
      EXPECT_GRADCHECK([axis](const Var& x) { return mean(x, axis); }, random_tensor(shape, 1));
    }
    EXPECT_GRADCHECK([axis](const Var& x) { return sum(x, axis); }, random_tensor({0, 3}, 1));
  }
  EXPECT_GRADCHECK([](const Var& x) { return mean(x, 1); }, random_tensor({0, 3}, 1));
}

TEST(Reduce, gradients_of_the_same_var_twice) {
  EXPECT_GRADCHECK([](const Var& x) { return multiply(sum(x, 0), mean(x, 0)); },
                   random_tensor({3, 5}, 1));
  EXPECT_GRADCHECK([](const Var& x) { return add(sum(x, 1), sum(multiply(x, x), 1)); },
                   random_tensor({3, 5}, 1));
}

TEST(Reduce, values_by_hand) {
  Tape tape(false);
  const Var x = tape.constant(Tensor::of({2, 3}, {1, 2, 3, 10, 20, 36}));
  EXPECT_THAT(sum(x).value().values(), ElementsAre(72));
  EXPECT_EQ(sum(x).shape(), Shape({1}));
  EXPECT_THAT(mean(x).value().values(), ElementsAre(12));
  EXPECT_THAT(sum(x, 0).value().values(), ElementsAre(11, 22, 39));
  EXPECT_THAT(sum(x, 1).value().values(), ElementsAre(6, 66));
  EXPECT_THAT(mean(x, 0).value().values(), ElementsAre(5.5, 11, 19.5));
  EXPECT_THAT(mean(x, 1).value().values(), ElementsAre(2, 22));
}

TEST(Reduce, sums_of_nothing_are_zero) {
  Tape tape(false);
  const Var x = tape.constant(Tensor::zeros({0, 2}));
  EXPECT_THAT(sum(x).value().values(), ElementsAre(0));
  EXPECT_THAT(sum(x, 0).value().values(), ElementsAre(0, 0));
  EXPECT_EQ(sum(x, 1).shape(), Shape({0}));
}

// 5,000 times 0.5: several blocks of a sum, exact in any order. Other numbers follow in memory.
TEST(Reduce, sums_long_tensors_and_no_more) {
  Tape tape(false);
  const Tensor x = Tensor::full({9000}, 0.5).part(0, {5000});
  EXPECT_THAT(sum(tape.constant(x)).value().values(), ElementsAre(2500));
}

TEST(Reduce, means_of_nothing_are_errors) {
  Tape tape;
  const Var x = tape.variable(Tensor::zeros({0, 2}));
  EXPECT_THAT([&] { mean(x); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("mean.x"), HasSubstr("got (0, 2)"))));
  EXPECT_THROW(mean(x, 0), ShapeError);
}

TEST(Reduce, shape_errors_name_the_op_the_axis_and_the_shape) {
  Tape tape;
  const Var x = tape.variable(random_tensor({3, 2}, 1));
  const Var vector = tape.variable(random_tensor({3}, 1));
  EXPECT_THAT([&] { sum(x, 2); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("sum.axis"), HasSubstr("(3, 2), got 2"))));
  EXPECT_THROW(mean(x, -1), ShapeError);
  EXPECT_THAT([&] { mean(vector, 0); },
              ThrowsMessage<ShapeError>(
                  AllOf(HasSubstr("mean.x"), HasSubstr("expected two axes, got (3)"))));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
