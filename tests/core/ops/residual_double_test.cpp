// The residual sum, dropout, and norms of rows: gradients by differences, values at extremes,
// masks. (Values: reference_cases.hpp.)
#include "core/ops/residual.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/plain.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Dropout dropout_of(double probability, std::uint64_t seed = 3, const char* stream = "tests",
                   Index step = 5, Index first_row = 0) {
  return {.probability = probability, .draws = Draws(seed, stream, step, first_row)};
}

TEST(Residual, gradients) {
  for (const Shape& shape : {Shape{3, 19}, Shape{2, 16}, Shape{4, 1}, Shape{0, 3}}) {
    SCOPED_TRACE(shape.to_string());
    for (const double probability : {0.0, 0.4}) {
      EXPECT_GRADCHECK(
          [&](const Var& x, const Var& f, const Var& bias) {
            return residual(x, f, bias, dropout_of(probability));
          },
          random_tensor(shape, 1), random_tensor(shape, 2), random_tensor({shape[1]}, 3));
    }
    EXPECT_GRADCHECK([](const Var& x) { return dropout(x, dropout_of(0.4)); },
                     random_tensor(shape, 1));
  }
}

// Without dropout both inputs receive the same gradient tensor: adding to one input's gradient must
// not change the other.
TEST(Residual, gradients_of_the_same_var_twice) {
  const Tensor bias = random_tensor({5}, 3);
  EXPECT_GRADCHECK([](const Var& x, const Var& b) { return residual(x, x, b); },
                   random_tensor({3, 5}, 1), bias);
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& f, const Var& b) {
        const Var inner = residual(scale(x, 2), scale(f, 3), b);
        return multiply(residual(inner, scale(inner, 2), b), multiply(x, f));
      },
      random_tensor({3, 5}, 1), random_tensor({3, 5}, 2), bias);
}

// 200 x 133 numbers, each dropped independently; tolerance: four standard deviations.
TEST(Dropout, keeps_its_share_and_scales_it) {
  for (const double probability : {0.1, 0.3, 0.5, 0.9}) {
    const Tensor factors = dropout_factors({200, 133}, dropout_of(probability));
    const auto count = static_cast<double>(factors.size());
    const auto dropped = static_cast<double>(std::ranges::count(factors.values(), 0.0));
    EXPECT_NEAR(dropped / count, probability,
                4 * std::sqrt(probability * (1 - probability) / count));
    EXPECT_THAT(factors.values(), Each(AnyOf(0, DoubleNear(1 / (1 - probability), 1e-3))));
  }
}

TEST(Dropout, hangs_on_its_address_and_on_nothing_else) {
  const auto drawn = [](const Dropout& at, Index rows = 9) {
    return dropout_factors({rows, 133}, at);
  };
  const Tensor first = drawn(dropout_of(0.3));
  EXPECT_THAT(drawn(dropout_of(0.3)).values(), ElementsAreArray(first.values()));
  for (const Dropout& other : {dropout_of(0.3, 4), dropout_of(0.3, 3, "another"),
                               dropout_of(0.3, 3, "tests", 6), dropout_of(0.3, 3, "tests", 5, 1)}) {
    EXPECT_THAT(drawn(other).values(), Not(ElementsAreArray(first.values())));
  }
  // It does not depend on how rows are cut.
  const Tensor part = drawn(dropout_of(0.3, 3, "tests", 5, 5), 4);
  EXPECT_THAT(part.values(), ElementsAreArray(first.part(5 * 133, {4, 133}).values()));
}

// The largest probability below 1 keeps 1 / 65536 of the numbers and does not divide by zero.
TEST(Dropout, of_nearly_all_stays_finite_and_of_none_is_nothing) {
  EXPECT_THAT(dropout_factors({3, 5}, dropout_of(0.9999999)).values(), Each(AnyOf(0, 65536)));
  Tape tape;
  const Var x = tape.variable(random_tensor({2, 3}, 1));
  EXPECT_EQ(dropout(x, {}).value().data(), x.value().data());
}

Var layer(const Var& x, const Var& gain, const Var& bias) { return layer_norm(x, gain, bias); }
Var rms(const Var& x, const Var& gain) { return rms_norm(x, gain); }

TEST(Norms, gradients) {
  for (const Shape& shape : {Shape{3, 19}, Shape{2, 16}, Shape{4, 2}, Shape{1, 5}, Shape{0, 3}}) {
    SCOPED_TRACE(shape.to_string());
    const Shape row{shape[1]};
    EXPECT_GRADCHECK(layer, random_tensor(shape, 1), random_tensor(row, 2), random_tensor(row, 3));
    EXPECT_GRADCHECK(rms, random_tensor(shape, 1), random_tensor(row, 2));
  }
}

TEST(Norms, gradients_of_the_same_var_twice) {
  const Tensor x = random_tensor({3, 5}, 1);
  const Tensor row = random_tensor({5}, 2);
  EXPECT_GRADCHECK(
      [](const Var& a, const Var& gain, const Var& bias) {
        return multiply(layer(layer(a, gain, bias), gain, bias), a);
      },
      x, row, random_tensor({5}, 3));
  EXPECT_GRADCHECK([](const Var& a, const Var& both) { return layer(a, both, both); }, x, row);
  EXPECT_GRADCHECK(
      [](const Var& a, const Var& gain) { return multiply(rms(rms(a, gain), gain), a); }, x, row);
}

// The deviation is small relative to the mean: a variance as E x² - (E x)² would lose it.
TEST(LayerNorm, keeps_small_deviations_from_a_large_mean) {
  Tape tape(false);
  const Var x = tape.constant(random_tensor({2, 19}, 1));
  const Var shifted = add(x, tape.constant(Tensor::full({19}, 1e7)));
  const Var gain = tape.constant(Tensor::full({19}, 1));
  const Var bias = tape.constant(Tensor::zeros({19}));
  EXPECT_THAT(layer(shifted, gain, bias).value().values(),
              Pointwise(DoubleNear(1e-7), layer(x, gain, bias).value().values()));
}

TEST(LayerNorm, of_equal_numbers_is_the_bias) {
  Tape tape(false);
  const Var y =
      layer(tape.constant(Tensor::full({1, 3}, 7)), tape.constant(Tensor::of({3}, {1, 2, 3})),
            tape.constant(Tensor::of({3}, {4, 5, 6})));
  EXPECT_THAT(y.value().values(), ElementsAre(4, 5, 6));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
