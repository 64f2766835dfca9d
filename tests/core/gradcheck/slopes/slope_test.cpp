// Slopes by extrapolated differences, and their own error estimates.
#include "core/gradcheck/slopes/slope.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

Slope slope_at(double x, const std::function<double(double)>& f, double enough = 1e-7) {
  const auto rise = [&](double h) {
    return Rise{.up = (f(x + h) - f(x)) / h,
                .down = (f(x) - f(x - h)) / h,
                .noise = std::numeric_limits<double>::epsilon() * std::abs(f(x)) / h};
  };
  return slope_of(rise, {.first_step = 1e-3, .enough = [enough](double) { return enough; }});
}

TEST(Slope, of_a_smooth_function_is_as_good_as_it_says) {
  for (double x = -3; x < 3; x += 0.37) {
    for (const double enough : {1e-5, 1e-7, 1e-9}) {
      const Slope slope = slope_at(x, [](double a) { return std::exp(a); }, enough);
      EXPECT_NEAR(slope.value, std::exp(x), slope.error);
      EXPECT_LE(slope.error, enough);
      EXPECT_FALSE(slope.kink);
    }
  }
}

TEST(Slope, at_a_kink_is_told_as_one) {
  const Slope symmetric = slope_at(0, [](double a) { return std::abs(a); });
  EXPECT_TRUE(symmetric.kink);
  EXPECT_DOUBLE_EQ(symmetric.left, -1);
  EXPECT_DOUBLE_EQ(symmetric.right, 1);
  const Slope bent = slope_at(0, [](double a) { return a > 0 ? 3 * a : std::sin(a); });
  EXPECT_TRUE(bent.kink);
  EXPECT_NEAR(bent.left, 1, 1e-6);
  EXPECT_NEAR(bent.right, 3, 1e-6);
}

// slope_at reduces its steps below the distance to the kink.
TEST(Slope, beside_a_kink_is_that_of_its_side) {
  for (const double distance : {1e-2, 5e-4, 1e-4, 3e-6, 1e-6}) {
    for (const double side : {-1, 1}) {
      const Slope slope = slope_at(side * distance, [](double a) { return a > 0 ? 3 * a : a; });
      EXPECT_NEAR(slope.value, side > 0 ? 3 : 1, 1e-6) << side * distance;
      EXPECT_FALSE(slope.kink);
    }
  }
}

TEST(Slope, where_the_second_derivative_jumps_is_found) {
  for (const double power : {1.25, 1.5, 2.0, 3.0}) {
    const Slope one = slope_at(0, [power](double a) { return a > 0 ? std::pow(a, power) : 0; });
    EXPECT_NEAR(one.value, 0, 1e-7) << power;
    EXPECT_LE(one.error, 1e-7) << power;
    EXPECT_FALSE(one.kink) << power;
  }
  const Slope both = slope_at(0, [](double a) { return a * std::abs(a) + 3 * a; });
  EXPECT_NEAR(both.value, 3, 1e-7);
  EXPECT_FALSE(both.kink);
}

TEST(Slope, that_is_infinite_is_told_as_none) {
  EXPECT_TRUE(slope_at(0, [](double a) { return std::cbrt(a); }).kink);
  EXPECT_TRUE(slope_at(0, [](double a) { return std::sqrt(a); }).kink);
}

TEST(Slope, at_an_edge_is_that_of_its_side) {
  const Slope slope = slope_at(0, [](double a) { return 3 * a + std::pow(a, 1.5); });
  EXPECT_NEAR(slope.value, 3, 1e-6);
  EXPECT_FALSE(slope.kink);
}

// Left of the kink the function is constant, like a step function between its steps.
TEST(Slope, behind_a_kink_is_zero) {
  const Slope slope = slope_at(-1e-4, [](double a) { return a > 0 ? a : 0; });
  EXPECT_EQ(slope.value, 0);
  EXPECT_LE(slope.error, 1e-7);
  EXPECT_FALSE(slope.kink);
}

TEST(Slope, of_a_step_function_is_uncertain) {
  const Slope slope = slope_at(0.3, [](double a) { return std::floor(a * 2e5) / 2e5; });
  EXPECT_GT(slope.error, 1e-7);
}

TEST(Slope, beyond_the_edge_of_a_function_comes_from_smaller_steps) {
  const Slope slope = slope_at(1e-4, [](double a) { return std::log(a); });
  EXPECT_NEAR(slope.value, 1e4, 1e-2);
}

TEST(Slope, of_what_is_nowhere_finite_is_unknown) {
  const Slope slope = slope_at(-1, [](double a) { return std::log(a); });
  EXPECT_TRUE(std::isinf(slope.error));
}

}}  // namespace tapehead
