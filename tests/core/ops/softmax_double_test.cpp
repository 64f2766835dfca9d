// Softmax and its logarithm: values against plain loops, gradients by differences.
#include "core/ops/softmax.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Full vectors and remainders, one column, one row, nothing.
const Shape shapes[] = {{3, 19}, {2, 16}, {5, 2}, {4, 1}, {1, 5}, {0, 3}, {3, 0}};

TEST(Softmax, gradients) {
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.to_string());
    EXPECT_GRADCHECK(softmax, random_tensor(shape, 1, -2, 2));
  }
}

TEST(Softmax, gradients_of_the_same_var_twice) {
  EXPECT_GRADCHECK([](const Var& x) { return multiply(softmax(x), softmax(scale(x, 2))); },
                   random_tensor({3, 5}, 1));
}

TEST(Softmax, values_by_plain_loops) {
  const Tensor x = random_tensor({4, 21}, 1, -3, 3);
  Tensor expected = Tensor::empty(x.shape());
  for (Index i = 0; i < x.dim(0); ++i) {
    double sum = 0;
    for (Index j = 0; j < x.dim(1); ++j) {
      sum += std::exp(x.row(i)[j]);
    }
    for (Index j = 0; j < x.dim(1); ++j) {
      expected.row(i)[j] = std::exp(x.row(i)[j]) / sum;
    }
  }
  Tape tape(false);
  EXPECT_THAT(softmax(tape.constant(x)).value().values(),
              Pointwise(DoubleNear(1e-15), expected.values()));
}

// exp(1000) is infinite and exp(-1000) is 0: only distances from the row's largest number count.
TEST(Softmax, does_not_overflow) {
  Tape tape(false);
  const Var x = tape.constant(Tensor::of({2, 3}, {1000, 1000, -1000, -1000, -1000, -1000}));
  EXPECT_THAT(softmax(x).value().values(),
              ElementsAre(0.5, 0.5, 0, DoubleNear(1.0 / 3, 1e-15), DoubleNear(1.0 / 3, 1e-15),
                          DoubleNear(1.0 / 3, 1e-15)));
  EXPECT_THAT(log_softmax(x).value().values(),
              ElementsAre(-std::log(2.0), -std::log(2.0), -2000 - std::log(2.0),
                          DoubleNear(-std::log(3.0), 1e-12), DoubleNear(-std::log(3.0), 1e-12),
                          DoubleNear(-std::log(3.0), 1e-12)));
}

TEST(Softmax, shape_errors_name_the_op_and_the_shape) {
  Tape tape;
  const Var x = tape.variable(random_tensor({3}, 1));
  EXPECT_THAT([&] { softmax(x); },
              ThrowsMessage<ShapeError>(
                  AllOf(HasSubstr("softmax.x"), HasSubstr("expected two axes, got (3)"))));
  EXPECT_THAT([&] { log_softmax(x); }, ThrowsMessage<ShapeError>(HasSubstr("log_softmax.x")));
}

TEST(LogSoftmax, gradients) {
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.to_string());
    EXPECT_GRADCHECK(log_softmax, random_tensor(shape, 1, -2, 2));
  }
}

TEST(LogSoftmax, gradients_of_the_same_var_twice) {
  EXPECT_GRADCHECK([](const Var& x) { return multiply(log_softmax(x), log_softmax(scale(x, 2))); },
                   random_tensor({3, 5}, 1));
}

// log_softmax is a fused op; its plain composition is log(softmax(x)).
TEST(LogSoftmax, is_the_logarithm_of_softmax) {
  const Tensor x = random_tensor({4, 21}, 1, -3, 3);
  const Tensor cotangent = random_tensor({4, 21}, 2);
  Tape tape;
  const Var fused_x = tape.variable(x);
  const Var plain_x = tape.variable(x);
  const Var fused = log_softmax(fused_x);
  const Var plain = log(softmax(plain_x));
  EXPECT_THAT(fused.value().values(), Pointwise(DoubleNear(1e-14), plain.value().values()));
  tape.backward(fused, cotangent);
  tape.backward(plain, cotangent);
  EXPECT_THAT(tape.gradient(fused_x).values(),
              Pointwise(DoubleNear(1e-14), tape.gradient(plain_x).values()));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
