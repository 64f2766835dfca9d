// Bias, activation, gate and dropout in one op: gradients by differences, and rejected inputs.

#include <tapehead/gtest.hpp>

#include "core/ops/activation.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/residual.hpp"
#include "tests/support/plain.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Dropout gated_dropout(double probability) {
  return {.probability = probability, .draws = Draws(3, "tests.gated", 5)};
}

class GatedActivation : public TestWithParam<Activation> {};

INSTANTIATE_TEST_SUITE_P(Kinds, GatedActivation,
                         Values(Activation::relu, Activation::gelu, Activation::gelu_exact,
                                Activation::silu, Activation::tanh),
                         [](const auto& test) {
                           return std::string(
                               EnumNames<Activation>::names[static_cast<std::size_t>(test.param)]);
                         });

TEST_P(GatedActivation, gradients) {
  for (const double probability : {0.0, 0.4}) {
    const auto call = [&](const Var& x, const Var& bias) {
      return gated_activation(x, bias, GetParam(), gated_dropout(probability));
    };
    for (const Shape& shape : {Shape{3, 38}, Shape{2, 32}, Shape{4, 2}, Shape{1, 6}, Shape{0, 4}}) {
      SCOPED_TRACE(shape.to_string());
      EXPECT_GRADCHECK(call, random_tensor(shape, 1, -2, 2), random_tensor({shape[1]}, 2));
    }
  }
}

TEST_P(GatedActivation, gradients_of_the_same_var_twice) {
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& bias) {
        return multiply(gated_activation(x, bias, GetParam()),
                        gated_activation(scale(x, 2), bias, GetParam()));
      },
      random_tensor({3, 10}, 1), random_tensor({10}, 2));
}

TEST_P(GatedActivation, equals_the_ops_that_it_fuses) {
  for (const double probability : {0.0, 0.4}) {
    expect_equals_plain(
        [&](const Var& x, const Var& bias) {
          return gated_activation(x, bias, GetParam(), gated_dropout(probability));
        },
        [&](const Var& x, const Var& bias) {
          const Var sum = add(x, bias);
          const Var no_bias = x.tape().constant(Tensor::zeros({19}));
          const Var value = slice(sum, 1, 0, 19);
          const Var gate = bias_activation(slice(sum, 1, 19, 38), no_bias, GetParam());
          return dropout(multiply(value, gate), gated_dropout(probability));
        },
        random_tensor({5, 38}, 1, -2, 2), random_tensor({38}, 2));
  }
}

TEST(GatedActivationShapes, errors_name_the_op_and_both_shapes) {
  Tape tape;
  const Var x = tape.variable(random_tensor({2, 6}, 1));
  EXPECT_THAT([&] { gated_activation(x, tape.variable(random_tensor({3}, 2)), Activation::silu); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("gated_activation.bias for x (2, 6)"),
                                              HasSubstr("expected (6), got (3)"))));
  const Var odd = tape.variable(random_tensor({2, 5}, 1));
  EXPECT_THAT(
      [&] { gated_activation(odd, tape.variable(random_tensor({5}, 2)), Activation::silu); },
      ThrowsMessage<ShapeError>(AllOf(HasSubstr("gated_activation.x: expected an even number"),
                                      HasSubstr("got (2, 5)"))));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
