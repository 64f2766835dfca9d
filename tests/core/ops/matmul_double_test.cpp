// Matrix product and transpose: values by hand and by three plain loops, gradients by differences.
#include "core/ops/linear.hpp"

#include <tapehead/gtest.hpp>

#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(Matmul, gradients) {
  EXPECT_GRADCHECK(matmul, random_tensor({3, 5}, 1), random_tensor({5, 4}, 2));
  EXPECT_GRADCHECK(matmul, random_tensor({1, 5}, 1), random_tensor({5, 1}, 2));
}

TEST(Matmul, gradients_of_the_same_var_twice) {
  EXPECT_GRADCHECK([](const Var& x) { return matmul(x, x); }, random_tensor({4, 4}, 1));
  EXPECT_GRADCHECK([](const Var& x) { return matmul(transpose(x), x); }, random_tensor({3, 5}, 1));
}

TEST(Matmul, gradients_of_empty_matrices) {
  EXPECT_GRADCHECK(matmul, random_tensor({0, 5}, 1), random_tensor({5, 4}, 2));
  EXPECT_GRADCHECK(matmul, random_tensor({3, 0}, 1), random_tensor({0, 4}, 2));
  EXPECT_GRADCHECK(matmul, random_tensor({3, 5}, 1), random_tensor({5, 0}, 2));
}

TEST(Matmul, values_by_hand) {
  Tape tape(false);
  const Var a = tape.constant(Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Var b = tape.constant(Tensor::of({3, 2}, {1, 10, 100, 0, 0, -1}));
  EXPECT_THAT(matmul(a, b).value().values(), ElementsAre(201, 7, 504, 34));
}

TEST(Matmul, values_by_three_loops) {
  constexpr Index N = 17;
  constexpr Index K = 33;
  constexpr Index M = 29;
  const Tensor a = random_tensor({N, K}, 1);
  const Tensor b = random_tensor({K, M}, 2);
  Tensor expected = Tensor::zeros({N, M});
  for (Index i = 0; i < N; ++i) {
    for (Index j = 0; j < M; ++j) {
      for (Index k = 0; k < K; ++k) {
        expected.row(i)[j] += a.row(i)[k] * b.row(k)[j];
      }
    }
  }
  Tape tape(false);
  EXPECT_THAT(matmul(tape.constant(a), tape.constant(b)).value().values(),
              Pointwise(DoubleNear(1e-13), expected.values()));
}

TEST(Matmul, of_no_depth_is_zero) {
  Tape tape(false);
  const Var y = matmul(tape.constant(Tensor::zeros({2, 0})), tape.constant(Tensor::zeros({0, 3})));
  EXPECT_EQ(y.shape(), Shape({2, 3}));
  EXPECT_THAT(y.value().values(), Each(0));
}

TEST(Matmul, shape_errors_name_the_op_and_both_shapes) {
  Tape tape;
  const Var a = tape.variable(random_tensor({3, 5}, 1));
  const Var b = tape.variable(random_tensor({4, 2}, 2));
  EXPECT_THAT([&] { matmul(a, b); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("matmul.b for a (3, 5)"),
                                              HasSubstr("expected (5, 2), got (4, 2)"))));
  EXPECT_THROW(matmul(a, tape.variable(random_tensor({5}, 2))), ShapeError);
}

// Sizes below a tile, exactly one tile, and more than one tile.
TEST(Transpose, gradients) {
  for (const Shape& shape : {Shape{3, 5}, Shape{1, 7}, Shape{16, 2}, Shape{18, 35}, Shape{0, 4}}) {
    EXPECT_GRADCHECK(transpose, random_tensor(shape, 1));
  }
}

TEST(Transpose, values_by_hand) {
  Tape tape(false);
  const Var y = transpose(tape.constant(Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(y.shape(), Shape({3, 2}));
  EXPECT_THAT(y.value().values(), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Transpose, shape_errors_name_the_op_and_the_shape) {
  Tape tape;
  EXPECT_THAT([&] { transpose(tape.variable(random_tensor({3}, 1))); },
              ThrowsMessage<ShapeError>(
                  AllOf(HasSubstr("transpose.x"), HasSubstr("expected two axes, got (3)"))));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
