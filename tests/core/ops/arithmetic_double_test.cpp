// Element-wise arithmetic: values by hand, gradients by differences.
#include "core/ops/arithmetic.hpp"

#include <tapehead/gtest.hpp>

#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using Binary = Var (*)(const Var&, const Var&);

struct Named {
  const char* name;
  Binary op;
};
constexpr Named binaries[] = {{"add", add}, {"subtract", subtract}, {"multiply", multiply}};

// Nineteen columns: two full vectors of doubles and a remainder, on any CPU.
TEST(Arithmetic, gradients_of_two_matrices) {
  for (const auto& [name, op] : binaries) {
    SCOPED_TRACE(name);
    EXPECT_GRADCHECK(op, random_tensor({3, 19}, 1), random_tensor({3, 19}, 2));
  }
}

TEST(Arithmetic, gradients_of_a_matrix_and_a_row) {
  for (const auto& [name, op] : binaries) {
    SCOPED_TRACE(name);
    EXPECT_GRADCHECK(op, random_tensor({5, 19}, 1), random_tensor({19}, 2));
    EXPECT_GRADCHECK(op, random_tensor({1, 3}, 1), random_tensor({3}, 2));
  }
}

TEST(Arithmetic, gradients_of_other_ranks) {
  for (const auto& [name, op] : binaries) {
    SCOPED_TRACE(name);
    EXPECT_GRADCHECK(op, random_tensor({7}, 1), random_tensor({7}, 2));
    EXPECT_GRADCHECK(op, random_tensor({2, 3, 5}, 1), random_tensor({2, 3, 5}, 2));
  }
}

TEST(Arithmetic, gradients_of_the_same_var_twice) {
  for (const auto& [name, op] : binaries) {
    SCOPED_TRACE(name);
    EXPECT_GRADCHECK([op = op](const Var& x) { return op(x, x); }, random_tensor({3, 5}, 1));
  }
}

TEST(Arithmetic, gradients_of_no_rows) {
  for (const auto& [name, op] : binaries) {
    SCOPED_TRACE(name);
    EXPECT_GRADCHECK(op, random_tensor({0, 5}, 1), random_tensor({0, 5}, 2));
    EXPECT_GRADCHECK(op, random_tensor({0, 5}, 1), random_tensor({5}, 2));
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
  Tensor exponentials = Tensor::empty(x.shape());
  Tensor logarithms = Tensor::empty(x.shape());
  for (Index i = 0; i < x.size(); ++i) {
    exponentials.data()[i] = std::exp(x.data()[i]);
    logarithms.data()[i] = std::log(x.data()[i]);
  }
  EXPECT_THAT(exp(tape.constant(x)).value().values(), Pointwise(DoubleEq(), exponentials.values()));
  EXPECT_THAT(log(tape.constant(x)).value().values(), Pointwise(DoubleEq(), logarithms.values()));
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
  for (const Named& named : binaries) {
    EXPECT_THAT(
        [&] { named.op(a, other); },
        ThrowsMessage<ShapeError>(AllOf(HasSubstr(std::string(named.name) + ".b for a (3, 5)"),
                                        HasSubstr("expected (3, 5) or (5), got (3, 4)"))));
    EXPECT_THROW(named.op(a, column), ShapeError);
    EXPECT_THROW(named.op(column, a), ShapeError);
    EXPECT_THROW(named.op(cube, a), ShapeError);
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
