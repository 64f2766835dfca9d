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
  // Infinite slopes are told as none.
  EXPECT_TRUE(slope_at(0, [](double a) { return std::cbrt(a); }).kink);
  EXPECT_TRUE(slope_at(0, [](double a) { return std::sqrt(a); }).kink);
}

TEST(Slope, is_found_in_hard_places) {
  struct Case {
    std::string name;
    std::function<double(double)> f;
    double x;
    double slope;
    double tolerance;
    double error = INFINITY;  // at most
  };
  std::vector<Case> cases{
      {"where the second derivative jumps", [](double a) { return a * std::abs(a) + 3 * a; }, 0, 3,
       1e-7},
      {"at an edge: that of its side", [](double a) { return 3 * a + std::pow(a, 1.5); }, 0, 3,
       1e-6},
      // Left of the kink the function is constant, like a step function between its steps.
      {"behind a kink", [](double a) { return a > 0 ? a : 0; }, -1e-4, 0, 0, 1e-7},
  };
  for (const double power : {1.25, 1.5, 2.0, 3.0}) {
    cases.push_back({fmt::format("where a^{} begins", power),
                     [power](double a) { return a > 0 ? std::pow(a, power) : 0; }, 0, 0, 1e-7,
                     1e-7});
  }
  // slope_at reduces its steps below the distance to the kink.
  for (const double distance : {1e-2, 5e-4, 1e-4, 3e-6, 1e-6}) {
    const auto bent = [](double a) { return a > 0 ? 3 * a : a; };
    cases.push_back({fmt::format("{} left of a kink", distance), bent, -distance, 1, 1e-6});
    cases.push_back({fmt::format("{} right of a kink", distance), bent, distance, 3, 1e-6});
  }
  for (const auto& [name, f, x, expected, tolerance, error] : cases) {
    const Slope slope = slope_at(x, f);
    EXPECT_NEAR(slope.value, expected, tolerance) << name;
    EXPECT_LE(slope.error, error) << name;
    EXPECT_FALSE(slope.kink) << name;
  }
}

TEST(Slope, of_a_step_function_is_uncertain) {
  const Slope slope = slope_at(0.3, [](double a) { return std::floor(a * 2e5) / 2e5; });
  EXPECT_GT(slope.error, 1e-7);
}

TEST(Slope, beyond_the_edge_of_a_function_comes_from_smaller_steps) {
  const auto ln = [](double a) { return std::log(a); };
  EXPECT_NEAR(slope_at(1e-4, ln).value, 1e4, 1e-2);
  EXPECT_TRUE(std::isinf(slope_at(-1, ln).error)) << "nowhere finite";
}

}}  // namespace tapehead
