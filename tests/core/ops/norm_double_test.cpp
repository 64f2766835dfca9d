// Layer norm and RMS norm: gradients by differences, values at the worst rounding.
#include "core/ops/residual.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Var layer(const Var& x, const Var& gain, const Var& bias) { return layer_norm(x, gain, bias); }
Var rms(const Var& x, const Var& gain) { return rms_norm(x, gain); }

const Shape shapes[] = {{3, 19}, {2, 16}, {4, 2}, {1, 5}, {0, 3}};

TEST(LayerNorm, gradients) {
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.to_string());
    EXPECT_GRADCHECK(layer, random_tensor(shape, 1), random_tensor({shape[1]}, 2),
                     random_tensor({shape[1]}, 3));
  }
}

TEST(LayerNorm, gradients_of_the_same_var_twice) {
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& gain, const Var& bias) {
        return multiply(layer_norm(layer_norm(x, gain, bias), gain, bias), x);
      },
      random_tensor({3, 5}, 1), random_tensor({5}, 2), random_tensor({5}, 3));
  EXPECT_GRADCHECK([](const Var& x, const Var& both) { return layer_norm(x, both, both); },
                   random_tensor({3, 5}, 1), random_tensor({5}, 2));
}

// The deviation is small relative to the mean: a variance as E x² - (E x)² would lose it.
TEST(LayerNorm, keeps_small_deviations_from_a_large_mean) {
  Tensor x = random_tensor({2, 19}, 1);
  Tensor shifted = x.copy();
  for (Scalar& number : shifted.values()) {
    number += 1e7;
  }
  Tape tape(false);
  const Var gain = tape.constant(Tensor::full({19}, 1));
  const Var bias = tape.constant(Tensor::zeros({19}));
  EXPECT_THAT(
      layer_norm(tape.constant(shifted), gain, bias).value().values(),
      Pointwise(DoubleNear(1e-7), layer_norm(tape.constant(x), gain, bias).value().values()));
}

TEST(LayerNorm, of_equal_numbers_is_the_bias) {
  Tape tape(false);
  const Var y =
      layer_norm(tape.constant(Tensor::full({1, 3}, 7)), tape.constant(Tensor::of({3}, {1, 2, 3})),
                 tape.constant(Tensor::of({3}, {4, 5, 6})));
  EXPECT_THAT(y.value().values(), ElementsAre(4, 5, 6));
}

TEST(LayerNorm, shape_errors_name_the_op_and_both_shapes) {
  Tape tape;
  const Var x = tape.variable(random_tensor({2, 3}, 1));
  const Var three = tape.variable(random_tensor({3}, 2));
  const Var two = tape.variable(random_tensor({2}, 3));
  EXPECT_THAT([&] { layer_norm(x, two, three); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("layer_norm.gain for x (2, 3)"),
                                              HasSubstr("expected (3), got (2)"))));
  EXPECT_THAT([&] { layer_norm(x, three, two); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("layer_norm.bias for x (2, 3)"),
                                              HasSubstr("expected (3), got (2)"))));
}

TEST(RmsNorm, gradients) {
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.to_string());
    EXPECT_GRADCHECK(rms, random_tensor(shape, 1), random_tensor({shape[1]}, 2));
  }
}

TEST(RmsNorm, gradients_of_the_same_var_twice) {
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& gain) { return multiply(rms_norm(rms_norm(x, gain), gain), x); },
      random_tensor({3, 5}, 1), random_tensor({5}, 2));
}

TEST(RmsNorm, shape_errors_name_the_op_and_both_shapes) {
  Tape tape;
  const Var x = tape.variable(random_tensor({2, 3}, 1));
  EXPECT_THAT([&] { rms_norm(x, tape.variable(random_tensor({2}, 3))); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("rms_norm.gain for x (2, 3)"),
                                              HasSubstr("expected (3), got (2)"))));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
