// The residual sum and dropout: gradients by differences, values against plain ops, masks.
#include "core/ops/residual.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/plain.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Dropout dropout_of(double probability, std::uint64_t seed = 3, const char* stream = "tests",
                   Index step = 5, Index first_row = 0) {
  return {.probability = probability, .draws = Draws(seed, stream, step, first_row)};
}

const Shape shapes[] = {{3, 19}, {2, 16}, {4, 1}, {0, 3}};

TEST(Residual, gradients) {
  for (const double probability : {0.0, 0.4}) {
    for (const Shape& shape : shapes) {
      SCOPED_TRACE(shape.to_string());
      EXPECT_GRADCHECK(
          [&](const Var& x, const Var& f, const Var& bias) {
            return residual(x, f, bias, dropout_of(probability));
          },
          random_tensor(shape, 1), random_tensor(shape, 2), random_tensor({shape[1]}, 3));
    }
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

TEST(Residual, shape_errors_name_the_op_and_both_shapes) {
  Tape tape;
  const Var x = tape.variable(random_tensor({2, 3}, 1));
  const Var f = tape.variable(random_tensor({3, 2}, 2));
  const Var bias = tape.variable(random_tensor({2}, 3));
  EXPECT_THAT([&] { residual(x, f, bias); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("residual.f for x (2, 3)"),
                                              HasSubstr("expected (2, 3), got (3, 2)"))));
  EXPECT_THAT([&] { residual(x, x, bias); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("residual.bias for x (2, 3)"),
                                              HasSubstr("expected (3), got (2)"))));
}

TEST(Dropout, gradients) {
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.to_string());
    EXPECT_GRADCHECK([](const Var& x) { return dropout(x, dropout_of(0.4)); },
                     random_tensor(shape, 1));
  }
}

TEST(Dropout, of_probability_zero_is_nothing) {
  Tape tape;
  const Var x = tape.variable(random_tensor({2, 3}, 1));
  EXPECT_EQ(dropout(x, {}).value().data(), x.value().data());
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

// Neighbours are dropped independently: both of a pair with probability².
TEST(Dropout, drops_neighbours_independently) {
  constexpr double both = 0.3 * 0.3;
  const Tensor factors = dropout_factors({200, 133}, dropout_of(0.3));
  double pairs = 0;
  double across = 0;
  double down = 0;
  for (Index i = 0; i + 1 < 200; ++i) {
    for (Index j = 0; j + 1 < 133; ++j) {
      pairs += 1;
      across += factors.row(i)[j] == 0 && factors.row(i)[j + 1] == 0 ? 1 : 0;
      down += factors.row(i)[j] == 0 && factors.row(i + 1)[j] == 0 ? 1 : 0;
    }
  }
  EXPECT_NEAR(across / pairs, both, 6 * std::sqrt(both * (1 - both) / pairs));
  EXPECT_NEAR(down / pairs, both, 6 * std::sqrt(both * (1 - both) / pairs));
}

TEST(Dropout, hangs_on_its_address_and_on_nothing_else) {
  const Tensor first = dropout_factors({4, 133}, dropout_of(0.3));
  const auto same = [&first](const Dropout& other) {
    return std::ranges::equal(first.values(), dropout_factors({4, 133}, other).values());
  };
  EXPECT_TRUE(same(dropout_of(0.3)));
  EXPECT_FALSE(same(dropout_of(0.3, 4)));
  EXPECT_FALSE(same(dropout_of(0.3, 3, "another")));
  EXPECT_FALSE(same(dropout_of(0.3, 3, "tests", 6)));
  EXPECT_FALSE(same(dropout_of(0.3, 3, "tests", 5, 1)));
}

TEST(Dropout, does_not_depend_on_how_rows_are_cut) {
  const Tensor all = dropout_factors({9, 133}, dropout_of(0.3, 3, "tests", 5, 2));
  const Tensor part = dropout_factors({4, 133}, dropout_of(0.3, 3, "tests", 5, 2 + 5));
  EXPECT_THAT(part.values(), ElementsAreArray(all.part(5 * 133, {4, 133}).values()));
}

// The largest probability below 1 keeps 1 / 65536 of the numbers and does not divide by zero.
TEST(Dropout, of_nearly_all_stays_finite) {
  const Tensor factors = dropout_factors({3, 5}, dropout_of(0.9999999));
  EXPECT_THAT(factors.values(), Each(AnyOf(0, 65536)));
}

TEST(Dropout, shape_errors_name_the_op_and_the_shape) {
  Tape tape;
  EXPECT_THAT([&] { dropout(tape.variable(random_tensor({3}, 1)), dropout_of(0.5)); },
              ThrowsMessage<ShapeError>(HasSubstr("dropout.x: expected two axes, got (3)")));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
