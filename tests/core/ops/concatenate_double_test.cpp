// Concatenation and slices: values by hand, gradients by differences, and slice as the inverse.
#include "core/ops/concatenate.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Var stack_rows(const Var& a, const Var& b, const Var& c) { return concatenate({a, b, c}, 0); }
Var stack_columns(const Var& a, const Var& b, const Var& c) { return concatenate({a, b, c}, 1); }

TEST(Concatenate, gradients) {
  EXPECT_GRADCHECK(stack_rows, random_tensor({2, 19}, 1), random_tensor({1, 19}, 2),
                   random_tensor({3, 19}, 3));
  EXPECT_GRADCHECK(stack_columns, random_tensor({3, 2}, 1), random_tensor({3, 19}, 2),
                   random_tensor({3, 1}, 3));
}

TEST(Concatenate, gradients_of_the_same_var_twice) {
  for (const Index axis : {Index{0}, Index{1}}) {
    EXPECT_GRADCHECK([axis](const Var& x) { return concatenate({x, x}, axis); },
                     random_tensor({3, 5}, 1));
    EXPECT_GRADCHECK([axis](const Var& x, const Var& y) { return concatenate({x, y, x}, axis); },
                     random_tensor({3, 5}, 1), random_tensor({3, 5}, 2));
  }
}

TEST(Concatenate, gradients_of_empty_pieces) {
  EXPECT_GRADCHECK(stack_rows, random_tensor({2, 5}, 1), random_tensor({0, 5}, 2),
                   random_tensor({3, 5}, 3));
  EXPECT_GRADCHECK(stack_columns, random_tensor({3, 2}, 1), random_tensor({3, 0}, 2),
                   random_tensor({3, 1}, 3));
  EXPECT_GRADCHECK(stack_columns, random_tensor({0, 2}, 1), random_tensor({0, 4}, 2),
                   random_tensor({0, 1}, 3));
}

TEST(Concatenate, values_by_hand) {
  Tape tape(false);
  const Var a = tape.constant(Tensor::of({2, 2}, {1, 2, 3, 4}));
  const Var b = tape.constant(Tensor::of({1, 2}, {5, 6}));
  const Var c = tape.constant(Tensor::of({2, 1}, {7, 8}));
  EXPECT_THAT(concatenate({a, b}, 0).value().values(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(concatenate({a, c}, 1).value().values(), ElementsAre(1, 2, 7, 3, 4, 8));
  EXPECT_THAT(concatenate({a}, 1).value().values(), ElementsAre(1, 2, 3, 4));
}

TEST(Concatenate, shape_errors_name_the_op_the_piece_and_both_shapes) {
  Tape tape;
  const Var a = tape.variable(random_tensor({3, 5}, 1));
  const Var b = tape.variable(random_tensor({4, 2}, 2));
  EXPECT_THAT([&] { concatenate({a, b}, 0); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("concatenate.pieces[1] after (3, 5)"),
                                              HasSubstr("expected (4, 5), got (4, 2)"))));
  EXPECT_THAT([&] { concatenate({a, b}, 1); },
              ThrowsMessage<ShapeError>(HasSubstr("expected (3, 2), got (4, 2)")));
  EXPECT_THROW(concatenate({a, tape.variable(random_tensor({5}, 1))}, 0), ShapeError);
  EXPECT_THROW(concatenate({a, a}, 2), ShapeError);
  EXPECT_THROW(concatenate({}, 0), ShapeError);
}

TEST(Slice, gradients) {
  const Tensor x = random_tensor({7, 21}, 1);
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, 7}, {2, 5}, {6, 7}, {3, 3}}) {
    EXPECT_GRADCHECK([&](const Var& v) { return slice(v, 0, begin, end); }, x);
    EXPECT_GRADCHECK([&](const Var& v) { return slice(v, 1, begin, 3 * end); }, x);
  }
  EXPECT_GRADCHECK([](const Var& v) { return slice(v, 1, 1, 3); }, random_tensor({0, 4}, 1));
}

// Overlapping slices of a value that another op uses too.
TEST(Slice, gradients_of_the_same_var_twice) {
  for (const Index axis : {Index{0}, Index{1}}) {
    EXPECT_GRADCHECK(
        [axis](const Var& x) {
          const Var product = multiply(slice(x, axis, 0, 3), slice(x, axis, 1, 4));
          return concatenate({product, x, slice(x, axis, 2, 3)}, axis);
        },
        random_tensor({4, 4}, 1));
  }
}

TEST(Slice, values_by_hand) {
  Tape tape(false);
  const Var x = tape.constant(Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(slice(x, 0, 1, 3).value().values(), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(slice(x, 1, 1, 2).value().values(), ElementsAre(2, 4, 6));
  EXPECT_EQ(slice(x, 0, 1, 1).shape(), Shape({0, 2}));
}

TEST(Slice, undoes_concatenate) {
  Tape tape(false);
  const Var a = tape.constant(random_tensor({3, 5}, 1));
  const Var b = tape.constant(random_tensor({3, 4}, 2));
  const Var both = concatenate({a, b}, 1);
  EXPECT_THAT(slice(both, 1, 0, 5).value().values(), ElementsAreArray(a.value().values()));
  EXPECT_THAT(slice(both, 1, 5, 9).value().values(), ElementsAreArray(b.value().values()));
}

TEST(Slice, shape_errors_name_the_op_the_range_and_the_shape) {
  Tape tape;
  const Var x = tape.variable(random_tensor({3, 5}, 1));
  EXPECT_THAT(
      [&] { slice(x, 0, 2, 4); },
      ThrowsMessage<ShapeError>(AllOf(HasSubstr("slice: rows 2 to 4"), HasSubstr("x (3, 5)"))));
  EXPECT_THAT([&] { slice(x, 1, 3, 6); }, ThrowsMessage<ShapeError>(HasSubstr("columns 3 to 6")));
  EXPECT_THROW(slice(x, 0, -1, 2), ShapeError);
  EXPECT_THROW(slice(x, 0, 2, 1), ShapeError);
  EXPECT_THROW(slice(x, 2, 0, 1), ShapeError);
  EXPECT_THROW(slice(tape.variable(random_tensor({3}, 1)), 0, 0, 1), ShapeError);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
