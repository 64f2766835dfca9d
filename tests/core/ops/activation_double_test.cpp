// Bias, activation and dropout in one op: gradients by differences, values at extremes.
#include "core/ops/activation.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/plain.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr Activation activations[] = {Activation::relu, Activation::gelu, Activation::silu,
                                      Activation::tanh};

Dropout dropout_of(double probability) {
  return {.probability = probability, .draws = Draws(3, "tests.activation", 5)};
}

class BiasActivation : public TestWithParam<Activation> {};

INSTANTIATE_TEST_SUITE_P(Kinds, BiasActivation, ValuesIn(activations), [](const auto& test) {
  return std::string(EnumNames<Activation>::names[static_cast<std::size_t>(test.param)]);
});

TEST_P(BiasActivation, gradients) {
  for (const double probability : {0.0, 0.4}) {
    const auto call = [&](const Var& x, const Var& bias) {
      return bias_activation(x, bias, GetParam(), dropout_of(probability));
    };
    for (const Shape& shape : {Shape{3, 19}, Shape{2, 16}, Shape{4, 1}, Shape{0, 3}}) {
      SCOPED_TRACE(shape.to_string());
      EXPECT_GRADCHECK(call, random_tensor(shape, 1, -2, 2), random_tensor({shape[1]}, 2));
    }
  }
}

// The op must add to the gradient of a Var that other ops use too, never overwrite it.
TEST_P(BiasActivation, gradients_of_the_same_var_twice) {
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& bias) {
        return multiply(bias_activation(x, bias, GetParam()),
                        bias_activation(scale(x, 2), bias, GetParam()));
      },
      random_tensor({3, 5}, 1), random_tensor({5}, 2));
}

// exp(1000) is infinite; activations and their slopes are not.
TEST_P(BiasActivation, does_not_overflow) {
  const std::vector<Tensor> results = value_and_gradients(
      [](const Var& x, const Var& bias) { return bias_activation(x, bias, GetParam()); },
      Tensor::of({1, 2}, {-1000, 1000}), Tensor::zeros({2}));
  const double top = GetParam() == Activation::tanh ? 1 : 1000;
  const double bottom = GetParam() == Activation::tanh ? -1 : 0;
  EXPECT_THAT(results[0].values(), ElementsAre(DoubleNear(bottom, 1e-12), DoubleNear(top, 1e-12)));
}

// Turns off the check for finite values, which keeps inputs alive.
struct WithoutLooking {
  bool before = std::exchange(checks().finite, false);
  ~WithoutLooking() { checks().finite = before; }
};

// relu's result reuses the memory of a moved input that nothing else holds; nothing else is reused.
TEST_P(BiasActivation, overwrites_only_what_nobody_holds) {
  const WithoutLooking here;
  const Tensor numbers = random_tensor({3, 19}, 1, -2, 2);
  for (const double probability : {0.0, 0.4}) {
    const auto run = [&](Tape& tape, const Var& x, bool hold) {
      Var given = scale(x, 1);
      const Var held = hold ? given : x;
      const Scalar* place = given.value().data();
      const Var y = bias_activation(std::move(given), tape.variable(random_tensor({19}, 2)),
                                    GetParam(), dropout_of(probability));
      EXPECT_EQ(y.value().data() == place, !hold && GetParam() == Activation::relu);
      EXPECT_THAT(held.value().values(), ElementsAreArray(numbers.values()));
      tape.backward(y, random_tensor({3, 19}, 3));
      return y;
    };
    Tape tape;
    const Var x = tape.variable(numbers);
    const Var y = run(tape, x, true);
    Tape other;
    const Var other_x = other.variable(numbers);
    const Var other_y = run(other, other_x, false);
    EXPECT_THAT(other_y.value().values(), ElementsAreArray(y.value().values()));
    EXPECT_THAT(other.gradient(other_x).values(), ElementsAreArray(tape.gradient(x).values()));
  }
}

TEST_P(BiasActivation, shape_errors_name_the_op_and_both_shapes) {
  Tape tape;
  const Var x = tape.variable(random_tensor({2, 3}, 1));
  EXPECT_THAT([&] { bias_activation(x, tape.variable(random_tensor({2}, 2)), GetParam()); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("bias_activation.bias for x (2, 3)"),
                                              HasSubstr("expected (3), got (2)"))));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
