// Element-wise arithmetic, sums and means: values by hand, gradients by differences.
#include "core/ops/arithmetic.hpp"

#include <tapehead/gtest.hpp>

#include "tests/support/message_of.hpp"
#include "tests/support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using Binary = Var (*)(const Var&, const Var&);
const std::vector<std::pair<std::string, Binary>> binaries{
    {"add", add}, {"subtract", subtract}, {"multiply", multiply}};

TEST(Arithmetic, gradients_of_two_inputs) {
  // Nineteen columns: two full vectors of doubles and a remainder, on any CPU.
  const std::vector<std::pair<Shape, Shape>> shapes{
      {{3, 19}, {3, 19}},     {{5, 19}, {19}},  {{1, 3}, {3}}, {{7}, {7}},
      {{2, 3, 5}, {2, 3, 5}}, {{0, 5}, {0, 5}}, {{0, 5}, {5}}};
  for (const auto& [name, op] : binaries) {
    for (const auto& [a, b] : shapes) {
      SCOPED_TRACE(name + a.to_string());
      EXPECT_GRADCHECK(op, random_tensor(a, 1), random_tensor(b, 2));
    }
    EXPECT_GRADCHECK([op = op](const Var& x) { return op(x, x); }, random_tensor({3, 5}, 1));
  }
}

TEST(Arithmetic, gradients_of_scale_exp_and_log) {
  for (const Shape& shape : {Shape{3, 19}, Shape{1}, Shape{0, 3}, Shape{2, 3, 5}}) {
    EXPECT_GRADCHECK([](const Var& x) { return scale(x, -2.5); }, random_tensor(shape, 1));
    EXPECT_GRADCHECK(exp, random_tensor(shape, 1));
    EXPECT_GRADCHECK(log, random_tensor(shape, 1, 0.5, 3));
  }
}

TEST(Arithmetic, values_by_hand) {
  Tape tape(false);
  const Var a = tape.constant(Tensor::of({2, 2}, {1, 2, 3, 4}));
  const Var b = tape.constant(Tensor::of({2, 2}, {10, 20, 30, 50}));
  const Var row = tape.constant(Tensor::of({2}, {-1, 7}));
  EXPECT_THAT(add(a, b).value().values(), ElementsAre(11, 22, 33, 54));
  EXPECT_THAT(subtract(a, b).value().values(), ElementsAre(-9, -18, -27, -46));
  EXPECT_THAT(multiply(a, b).value().values(), ElementsAre(10, 40, 90, 200));
  EXPECT_THAT(add(a, row).value().values(), ElementsAre(0, 9, 2, 11));
  EXPECT_THAT(subtract(a, row).value().values(), ElementsAre(2, -5, 4, -3));
  EXPECT_THAT(multiply(a, row).value().values(), ElementsAre(-1, 14, -3, 28));
  EXPECT_THAT(scale(a, -0.5).value().values(), ElementsAre(-0.5, -1, -1.5, -2));
}

TEST(Arithmetic, exp_and_log_are_those_of_the_standard_library) {
  Tape tape(false);
  const Tensor x = random_tensor({3, 19}, 1, 0.01, 9);
  const Tensor exponentials = exp(tape.constant(x)).value();
  const Tensor logarithms = log(tape.constant(x)).value();
  for (Index i = 0; i < x.size(); ++i) {
    EXPECT_DOUBLE_EQ(exponentials.data()[i], std::exp(x.data()[i]));
    EXPECT_DOUBLE_EQ(logarithms.data()[i], std::log(x.data()[i]));
  }
}

// A view may start at any element, so ops may not rely on alignment.
TEST(Arithmetic, takes_views_from_any_element_on) {
  const Tensor memory = random_tensor({200}, 1);
  for (Index first = 0; first < 9; ++first) {
    EXPECT_GRADCHECK(multiply, memory.part(first, {3, 5}), memory.part(100 + 2 * first, {5}));
    EXPECT_GRADCHECK(add, memory.part(first, {3, 5}), memory.part(101, {3, 5}));
  }
}

TEST(Arithmetic, shape_errors_name_the_op_and_both_shapes) {
  Tape tape;
  const Var a = tape.variable(random_tensor({3, 5}, 1));
  const Var other = tape.variable(random_tensor({3, 4}, 2));
  const Var column = tape.variable(random_tensor({3}, 2));
  const Var cube = tape.variable(random_tensor({2, 3, 5}, 2));
  for (const auto& [name, op] : binaries) {
    EXPECT_THAT(([&, op = op] { op(a, other); }),
                throws(name + ".b for a (3, 5)", "expected (3, 5) or (5), got (3, 4)"));
    EXPECT_THROW(op(a, column), ShapeError);
    EXPECT_THROW(op(column, a), ShapeError);
    EXPECT_THROW(op(cube, a), ShapeError);
  }
}

Var sum_all(const Var& x) { return sum(x); }
Var mean_all(const Var& x) { return mean(x); }

TEST(Reduce, gradients) {
  for (const Shape& shape : {Shape{3, 19}, Shape{1, 1}, Shape{7}, Shape{2, 3, 5}}) {
    EXPECT_GRADCHECK(sum_all, random_tensor(shape, 1));
    EXPECT_GRADCHECK(mean_all, random_tensor(shape, 1));
  }
  EXPECT_GRADCHECK(sum_all, random_tensor({0, 5}, 1));
  for (const Index axis : {0, 1}) {
    const auto sums = [axis](const Var& x) { return sum(x, axis); };
    for (const Shape& shape : {Shape{3, 19}, Shape{21, 2}, Shape{1, 4}, Shape{4, 1}}) {
      EXPECT_GRADCHECK(sums, random_tensor(shape, 1));
      EXPECT_GRADCHECK([axis](const Var& x) { return mean(x, axis); }, random_tensor(shape, 1));
    }
    EXPECT_GRADCHECK(sums, random_tensor({0, 3}, 1));
  }
  EXPECT_GRADCHECK([](const Var& x) { return mean(x, 1); }, random_tensor({0, 3}, 1));
  // The same Var given twice.
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
  // 5,000 times 0.5: several blocks of a sum, exact in any order. Other numbers follow in memory.
  const Tensor halves = Tensor::full({9000}, 0.5).part(0, {5000});
  EXPECT_THAT(sum(tape.constant(halves)).value().values(), ElementsAre(2500));
}

TEST(Reduce, sums_of_nothing_are_zero) {
  Tape tape(false);
  const Var x = tape.constant(Tensor::zeros({0, 2}));
  EXPECT_THAT(sum(x).value().values(), ElementsAre(0));
  EXPECT_THAT(sum(x, 0).value().values(), ElementsAre(0, 0));
  EXPECT_EQ(sum(x, 1).shape(), Shape({0}));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
