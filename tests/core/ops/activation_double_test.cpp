// Bias, activation and dropout in one op, also with a gate: gradients by differences, values at
// extremes. (Values and fused gradients: reference_cases.hpp.)
#include "core/ops/activation.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "core/ops/concatenate.hpp"
#include "tests/support/plain.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

class BiasActivation : public TestWithParam<Activation> {};

INSTANTIATE_TEST_SUITE_P(Kinds, BiasActivation,
                         Values(Activation::relu, Activation::gelu, Activation::gelu_exact,
                                Activation::silu, Activation::tanh),
                         [](const auto& test) {
                           return std::string(
                               EnumNames<Activation>::names[static_cast<std::size_t>(test.param)]);
                         });

Dropout dropout_of(double probability) {
  return {.probability = probability, .draws = Draws(3, "tests.activation", 5)};
}

// Each op and the shapes of its x.
using Op = std::function<Var(const Var& x, const Var& bias, Activation, const Dropout&)>;
const std::vector<std::pair<Op, std::vector<Shape>>> ops{
    {bias_activation, {{3, 19}, {2, 16}, {4, 1}, {0, 3}}},
    {gated_activation, {{3, 38}, {2, 32}, {4, 2}, {1, 6}, {0, 4}}}};

TEST_P(BiasActivation, has_its_gradients_also_with_a_gate) {
  for (const auto& [op, shapes] : ops) {
    for (const Shape& shape : shapes) {
      SCOPED_TRACE(shape.to_string());
      for (const double probability : {0.0, 0.4}) {
        EXPECT_GRADCHECK(
            [&op = op, probability](const Var& x, const Var& bias) {
              return op(x, bias, GetParam(), dropout_of(probability));
            },
            random_tensor(shape, 1, -2, 2), random_tensor({shape[1]}, 2));
      }
    }
    // The op must add to the gradient of a Var that other ops use too, never overwrite it.
    EXPECT_GRADCHECK(
        [&op = op](const Var& x, const Var& bias) {
          return multiply(op(x, bias, GetParam(), {}), op(scale(x, 2), bias, GetParam(), {}));
        },
        random_tensor({3, 10}, 1), random_tensor({10}, 2));
  }
}

TEST_P(BiasActivation, with_a_gate_equals_the_ops_that_it_fuses) {
  for (const double probability : {0.0, 0.4}) {
    expect_equals_plain(
        [&](const Var& x, const Var& bias) {
          return gated_activation(x, bias, GetParam(), dropout_of(probability));
        },
        [&](const Var& x, const Var& bias) {
          const Var sum = add(x, bias);
          const Var no_bias = x.tape().constant(Tensor::zeros({19}));
          const Var gate = bias_activation(slice(sum, 1, 19, 38), no_bias, GetParam());
          return dropout(multiply(slice(sum, 1, 0, 19), gate), dropout_of(probability));
        },
        random_tensor({5, 38}, 1, -2, 2), random_tensor({38}, 2));
  }
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

// relu's result reuses the memory of a moved input that nothing else holds; nothing else is reused.
TEST_P(BiasActivation, overwrites_only_what_nobody_holds) {
  // The check for finite values would keep inputs alive.
  const bool checked = std::exchange(checks().finite, false);
  const Tensor numbers = random_tensor({3, 19}, 1, -2, 2);
  for (const double probability : {0.0, 0.4}) {
    const auto value_and_gradient = [&](bool hold) {
      Tape tape;
      const Var x = tape.variable(numbers);
      Var given = scale(x, 1);
      const Var held = hold ? given : x;
      const Scalar* place = given.value().data();
      const Var y = bias_activation(std::move(given), tape.variable(random_tensor({19}, 2)),
                                    GetParam(), dropout_of(probability));
      EXPECT_EQ(y.value().data() == place, !hold && GetParam() == Activation::relu);
      EXPECT_THAT(held.value().values(), ElementsAreArray(numbers.values()));
      tape.backward(y, random_tensor({3, 19}, 3));
      return std::pair(y.value(), tape.gradient(x));
    };
    const auto [y, dx] = value_and_gradient(true);
    const auto [y_of_free, dx_of_free] = value_and_gradient(false);
    EXPECT_THAT(y_of_free.values(), ElementsAreArray(y.values()));
    EXPECT_THAT(dx_of_free.values(), ElementsAreArray(dx.values()));
  }
  checks().finite = checked;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
