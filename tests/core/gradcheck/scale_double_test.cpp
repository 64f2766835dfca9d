// Numbers far from 1: gradcheck finds mistakes and passes correct gradients.
#include "core/gradcheck/gradcheck.hpp"
#include "core/ops/arithmetic.hpp"
#include "tests/core/gradcheck/mutants/elementwise.hpp"
#include "tests/support/expect_verdict.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

GradcheckReport check(const Function& f, const Function& slope, std::initializer_list<double> at,
                      bool probes = true) {
  return gradcheck(elementwise(f, slope), {Tensor::of({static_cast<Index>(at.size())}, at)},
                   {.probes = probes});
}

void expect_right(const Function& f, const Function& slope, std::initializer_list<double> at) {
  const GradcheckReport report = check(f, slope, at);
  EXPECT_TRUE(report.ok()) << report.message();
}

GradcheckReport check_map(const Matrix& forward, const Matrix& backward) {
  return gradcheck(linear_map(forward, backward), {Tensor::of({2}, {0.7, -1.2})});
}

double ramp(double x) { return x > 0 ? x : 0; }
double step(double x) { return x > 0 ? 1 : 0; }

TEST(GradcheckScale, finds_wrong_small_slopes) {
  for (const double s : {1e-9, 1e-12, 1e-30, 1e30}) {
    const Function f = [s](double x) { return s * x; };
    const auto with = [&](double factor) {
      return check(f, [&](double) { return factor * s; }, {0.7, -1.2, 0.4});
    };
    EXPECT_TRUE(with(1).ok()) << with(1).message();
    expect_wrong(with(0), WrongKind::no_gradient, "zeros arrive");
    expect_wrong(with(2), WrongKind::factor, "2 times what is right");
    expect_wrong(with(-1), WrongKind::sign, "right but for its sign");
  }
}

TEST(GradcheckScale, finds_a_wrong_slope_beside_a_larger_one) {
  for (const double small : {1e-7, 1e-9}) {
    expect_wrong(check_map({{1, small}}, {{1, 0}}), WrongKind::some_rows,
                 "only element 1 is wrong; nothing arrives there");
    expect_wrong(check_map({{1, small}}, {{1, 2 * small}}), WrongKind::some_rows,
                 "only element 1 is wrong; 2");
  }
}

// Output 1 depends on both inputs, but is so small that the sum over outputs does not show it.
TEST(GradcheckScale, finds_a_wrong_small_output_beside_a_large_one) {
  for (const double small : {1e-9, 1e-12, 1e-20}) {
    const Matrix right{{1, 2}, {3 * small, small}};
    const GradcheckReport report = check_map(right, right);
    EXPECT_TRUE(report.ok()) << report.message();
    const char* const seen = "seen with the gradient of the output's [1] of (2) alone";
    expect_wrong(check_map(right, {{1, 2}, {0, 0}}), WrongKind::no_gradient, seen);
    expect_wrong(check_map(right, {{1, 2}, {6 * small, 2 * small}}), WrongKind::factor, seen);
    expect_wrong(check_map(right, {{1, 2}, {-3 * small, -small}}), WrongKind::sign, seen);
  }
}

// An output a million times smaller is visible in the sum.
TEST(GradcheckScale, names_a_small_output_whose_gradient_is_wrong) {
  expect_wrong(check_map({{1, 2}, {3e-6, 1e-6}}, {{1, 2}, {6e-6, 2e-6}}), WrongKind::term,
               "what comes from the output's elements 1 is wrong, and the rest is right");
}

// One output is small next to the other, for one input alone.
TEST(GradcheckScale, finds_a_wrong_small_part_of_an_output) {
  expect_wrong(check_map({{1, 2}, {1e-9, 2}}, {{1, 2}, {0, 2}}), WrongKind::some_rows,
               "alone, which larger ones hide");
}

TEST(GradcheckScale, finds_an_infinite_gradient_without_probes) {
  expect_verdict(check([](double x) { return std::sqrt(x); },
                       [](double x) { return 0.5 / std::sqrt(x); }, {0, 1, 4}, false),
                 Verdict::not_finite, "input 0 [0] of (3): not finite");
  // The true slope at 1 is finite.
  const Function infinite_at_one = [](double x) {
    return x == 1 ? std::numeric_limits<double>::infinity() : 2 * x;
  };
  expect_verdict(check([](double x) { return x * x; }, infinite_at_one, {0.5, 1, 4}, false),
                 Verdict::not_finite, "input 0 [1] of (3): not finite");
}

TEST(GradcheckScale, names_a_slope_that_is_infinite) {
  const Function zero_at_zero = [](double x) { return x == 0 ? 0 : 0.5 / std::sqrt(x); };
  expect_verdict(check([](double x) { return std::sqrt(x); }, zero_at_zero, {0, 1, 4}),
                 Verdict::kink_nearby, "input 0 [0] of (3)");
}

TEST(GradcheckScale, passes_large_inputs) {
  const Function one = [](double) { return 1; };
  for (const double x : {1e10, 1e13, 1e30}) {
    expect_right([](double a) { return a; }, one, {x, -0.7 * x, 1.3 * x});
  }
}

TEST(GradcheckScale, passes_inputs_of_all_sizes_at_once) {
  expect_right([](double x) { return x * x; }, [](double x) { return 2 * x; },
               {1e-30, -1e-10, 1, 1e10, -1e30});
  expect_right([](double x) { return std::exp(x); }, [](double x) { return std::exp(x); },
               {1e-30, -1e-10, 0, 1, -20});
  expect_right([](double x) { return std::log(x); }, [](double x) { return 1 / x; },
               {1e-30, 1e-10, 1, 1e10, 1e30});
}

TEST(GradcheckScale, finds_a_wrong_element_among_inputs_of_all_sizes) {
  for (const double wrong : {1e-30, -1e-10, 1.0, 1e10, -1e30}) {
    const Function slope = [wrong](double x) {
      return (std::abs(x / wrong - 1) < 0.1 ? 3 : 2) * x;
    };
    expect_wrong(check([](double x) { return x * x; }, slope, {1e-30, -1e-10, 1, 1e10, -1e30}),
                 WrongKind::one_element, "all others are right");
  }
}

TEST(GradcheckScale, passes_where_the_second_derivative_jumps) {
  expect_right([](double x) { return ramp(x) * ramp(x); }, [](double x) { return 2 * ramp(x); },
               {0, 1, -1});
  expect_right([](double x) { return x * std::abs(x); }, [](double x) { return 2 * std::abs(x); },
               {0, 1, -1});
  expect_right([](double x) { return std::pow(ramp(x), 1.5); },
               [](double x) { return 1.5 * std::sqrt(ramp(x)); }, {0, 1, -1});
  expect_right([](double x) { return x + ramp(x) * ramp(x); },
               [](double x) { return 1 + 2 * ramp(x); }, {0});
}

TEST(GradcheckScale, finds_wrong_gradients_where_the_second_derivative_jumps) {
  expect_wrong(check([](double x) { return ramp(x) * ramp(x); },
                     [](double x) { return 2 * ramp(x) + (x == 0 ? 1e-3 : 0); }, {0, 1, -1}),
               WrongKind::one_element, "input 0 [0] of (3)");
}

TEST(GradcheckScale, passes_beside_a_kink) {
  for (const double x : {-1e-3, -1e-4, -1e-6, -1e-9, 1e-4, 1e-6, 1e-9}) {
    expect_right(ramp, step, {x, 1, -1});
    expect_right([](double a) { return std::abs(a); }, [](double a) { return a > 0 ? 1 : -1; },
                 {x, 1, -1});
  }
  // Between two kinks: zero on an interval of length 2e-4.
  expect_right([](double x) { return ramp(x - 1e-4) - ramp(-x - 1e-4); },
               [](double x) { return std::abs(x) > 1e-4 ? 1 : 0; }, {1e-5, 1, -1});
}

TEST(GradcheckScale, tells_jumps_from_kinks) {
  const Function rounded = [](double x) { return std::round(x * 1e4) / 1e4; };
  expect_verdict(check(rounded, [](double) { return 1; }, {0.30001, 1.00002, -1.00002}),
                 Verdict::too_little_precision, "jumps");
}

// A wrong shortcut for x = 1: the last bits of x decide whether it is taken.
TEST(GradcheckScale, finds_a_gradient_that_is_wrong_at_one_number) {
  for (const double wrong : {0.0, 1.0, 1e6}) {
    const Function slope = [wrong](double x) { return x == 1 ? wrong : 2 * x; };
    expect_wrong(check([](double x) { return x * x; }, slope, {1, -0.7, 2, 5}),
                 WrongKind::one_element, "input 0 [0] of (4)");
    expect_wrong(check([](double x) { return x * x; }, slope, {1, 1}),
                 wrong == 0 ? WrongKind::no_gradient : WrongKind::factor, "2 of 2 elements");
  }
}

// log x / (x - 1) is 1 at x = 1, with slope -1/2. Near x = 1 the formula for the slope gives only
// rounding errors.
TEST(GradcheckScale, finds_a_wrong_gradient_at_a_removable_singularity) {
  const Function f = [](double x) { return x == 1 ? 1 : std::log(x) / (x - 1); };
  const auto with = [&](double at_one) {
    return check(f,
                 [at_one](double x) {
                   const double d = x - 1;
                   return d == 0 ? at_one : (d / x - std::log(x)) / (d * d);
                 },
                 {0.5, 1.7, 1, 0.8});
  };
  EXPECT_TRUE(with(-0.5).ok()) << with(-0.5).message();
  expect_wrong(with(0), WrongKind::one_element, "input 0 [2] of (4)");
}

// Errors just above the tolerance of 1e-8, in outputs whose sum is much larger than a slope.
TEST(GradcheckScale, finds_small_errors_among_many_elements) {
  const auto tanh_with = [](double factor) {
    return gradcheck(elementwise([](double x) { return std::tanh(x); },
                                 [factor](double x) {
                                   const double y = std::tanh(x);
                                   return factor * (1 - y * y);
                                 }),
                     {random_tensor({12, 40}, 1)});
  };
  EXPECT_TRUE(tanh_with(1).ok());
  expect_wrong(tanh_with(1 + 3e-8), WrongKind::factor, "1 + 3e-08 times what is right, everywhere");
  expect_wrong(tanh_with(1 - 3e-8), WrongKind::factor, "1 - 3e-08 times what is right, everywhere");
  expect_wrong(tanh_with(1 + 3e-8), WrongKind::factor, "480 of 480 elements");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
