// Correct gradients that are hard for differences: near kinks, far from 1, cancelling, oscillating.
// All pass at the default tolerance; a cast to float in the backward pass is found.
#include "core/gradcheck/gradcheck.hpp"
#include "core/ops/linear.hpp"
#include "tests/core/gradcheck/mutants/elementwise.hpp"
#include "tests/core/gradcheck/mutants/seeds.hpp"
#include "tests/support/expect_verdict.hpp"
#include "tests/support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

struct HardFunction {
  std::string name;
  Function f;
  Function slope;
  double centre = 0;  // inputs are centre + spread u with u in -1 ... 1
  double spread = 2;
  // Whether differences are much more accurate than 6e-8 (float rounding). False if the input or
  // output keeps few digits, or if slopes are far below the largest output.
  bool precise = true;
};

std::vector<HardFunction> hard_functions() {
  constexpr double pi = std::numbers::pi;
  const Function one = [](double) { return 1; };
  const Function square = [](double x) { return x * x; };
  const Function twice = [](double x) { return 2 * x; };
  const Function sine = [](double x) { return std::sin(x); };
  const Function cosine = [](double x) { return std::cos(x); };
  const Function exponential = [](double x) { return std::exp(x); };
  const Function sign = [](double x) { return x < 0 ? -1 : 1; };
  const Function clip = [](double x) { return std::clamp(x, -1.0, 1.0); };
  const Function inside = [](double x) { return std::abs(x) < 1 ? 1 : 0; };
  const Function huber = [](double x) { return std::abs(x) < 1 ? x * x / 2 : std::abs(x) - 0.5; };
  const Function wavy = [](double x) { return x + 1e-3 * std::sin(1000 * x); };
  const Function wavy_slope = [](double x) { return 1 + std::cos(1000 * x); };
  const auto shifted = [](const Function& f) { return [f](double x) { return f(1e6 + x); }; };
  const auto above = [](const Function& f) { return [f](double x) { return 1e6 + f(x); }; };
  const auto tiny = [](const Function& f) { return [f](double x) { return 1e-8 * f(x); }; };
  return {
      {"|x| beside 0", [](double x) { return std::abs(x); }, sign, 0, 1e-9},
      {"x^2 at 1e6", square, twice, 1e6},
      {"log x at 1e6", [](double x) { return std::log(x); }, [](double x) { return 1 / x; }, 1e6},
      {"sin x at 1e6", sine, cosine, 1e6, 2, false},
      {"sin (1e6 + x)", shifted(sine), shifted(cosine), 0, 2, false},
      {"1e6 + x", above([](double x) { return x; }), one, 0, 2, false},
      {"1e6 + x^2", above(square), twice, 0, 2, false},
      {"x^2 at 1e-8", square, twice, 0, 1e-8},
      {"1e-8 sin x", tiny(sine), tiny(cosine)},
      {"sin pi x", [](double x) { return std::sin(pi * x); },
       [](double x) { return pi * std::cos(pi * x); }},
      {"x^3", [](double x) { return x * x * x; }, [](double x) { return 3 * x * x; }},
      {"Huber", huber, clip},
      {"exp x to 60", exponential, exponential, 0, 60, false},
      {"x + 1e-3 sin 1000 x", wavy, wavy_slope},
      {"clip", clip, inside, 0, 2, false},
  };
}

TEST(ProveGradcheck, hard_functions_pass_and_a_cast_to_float_in_backward_is_found) {
  for (const HardFunction& hard : hard_functions()) {
    const Function cast = [&hard](double x) {
      return static_cast<double>(static_cast<float>(hard.slope(x) / 3)) * 3;
    };
    for_each_seed(20, [&](std::uint64_t seed) {
      SCOPED_TRACE(fmt::format("{}, seed {}", hard.name, seed));
      Tensor x = random_tensor({3, 4}, seed);
      for (Scalar& number : x.values()) {
        number = hard.centre + hard.spread * number;
      }
      const GradcheckReport right = gradcheck(elementwise(hard.f, hard.slope), {x}, {.seed = seed});
      EXPECT_TRUE(right.ok()) << right.message();
      if (hard.precise) {
        EXPECT_FALSE(gradcheck(elementwise(hard.f, cast), {x}, {.seed = seed}).ok());
      }
    });
  }
}

// y_n = log Σ_d exp x_nd
Var log_sum_exp(const Var& x) {
  const Tensor& at = x.value();
  const Index D = at.dim(1);
  Tensor y = Tensor::empty({at.dim(0)});
  for (Index n = 0; n < at.dim(0); ++n) {
    const double most = *std::max_element(at.row(n), at.row(n + 1));
    double sum = 0;
    for (Index d = 0; d < D; ++d) {
      sum += std::exp(at.row(n)[d] - most);
    }
    y.data()[n] = most + std::log(sum);
  }
  return x.tape().record("log_sum_exp", {x}, y, [at, y = y.copy(), D](Gradients& g) {
    Tensor dx = Tensor::empty(at.shape());
    for (Index i = 0; i < dx.size(); ++i) {
      dx.data()[i] = g.output().data()[i / D] * std::exp(at.data()[i] - y.data()[i / D]);
    }
    g.add(0, std::move(dx));
  });
}

TEST(ProveGradcheck, hard_functions_of_rows_pass) {
  const GradcheckFunction outer = [](Tape&, const std::vector<Var>& x) {
    return matmul(x[0], x[1]);
  };
  const GradcheckFunction of_rows = [](Tape&, const std::vector<Var>& x) {
    return log_sum_exp(x[0]);
  };
  for_each_seed(20, [&](std::uint64_t seed) {
    SCOPED_TRACE(seed);
    const auto expect_right = [&](const GradcheckFunction& f, const std::vector<Tensor>& inputs) {
      const GradcheckReport report = gradcheck(f, inputs, {.seed = seed});
      EXPECT_TRUE(report.ok()) << report.message();
    };
    const Tensor column = random_tensor({5, 1}, 16 * seed);
    expect_right(outer, {column, random_tensor({1, 3}, 16 * seed + 1)});
    expect_right(outer, {column, random_tensor({1, 1}, 16 * seed + 1)});
    for (const double far : {0.0, 800.0, -800.0}) {
      Tensor x = random_tensor({4, 3}, 16 * seed + 2);
      for (Index i = 0; i < x.size(); ++i) {
        x.data()[i] += i < 6 ? far : -far * (i % 2 == 0 ? 1 : -1);
      }
      expect_right(of_rows, {x});
    }
  });
}

// x² + c. For c near 1e11 the differences have few digits, near 1e30 none.
TEST(Gradcheck, cannot_tell_beside_a_number_that_is_too_large) {
  const auto check = [](double constant, double factor) {
    return gradcheck(elementwise([constant](double x) { return x * x + constant; },
                                 [factor](double x) { return 2 * factor * x; }),
                     {random_tensor({3, 4}, 1)});
  };
  for (const double constant : {1e9, 1e11, 1e13, 1e20, -1e30}) {
    EXPECT_FALSE(check(constant, -1).ok()) << constant;
  }
  EXPECT_TRUE(check(1e9, 1).ok()) << check(1e9, 1).message();
  expect_verdict(check(-1e30, 1), Verdict::cannot_tell,
                 "elementwise: input 0 (3, 4): cannot tell\n  hint: the output is too large for "
                 "differences: with numbers of 1e+30, ");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
