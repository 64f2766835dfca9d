// gradcheck must fail for every kind of wrong number in a gradient, also where numbers are far from
// 1, and must pass correct ones.
#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/softmax.hpp"
#include "tests/core/gradcheck/mutants/corruptions.hpp"
#include "tests/core/gradcheck/mutants/elementwise.hpp"
#include "tests/core/gradcheck/mutants/normalising_mistakes.hpp"
#include "tests/core/gradcheck/mutants/token_mistakes.hpp"
#include "tests/support/expect_verdict.hpp"
#include "tests/support/square.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Checks y = x ∘ x for x of shape (3, 4), with a spoiled gradient.
GradcheckReport check_numbers(const std::function<void(Tensor& dx)>& spoil) {
  return check_square([&](Gradients& g, const Tensor& x) {
    Tensor dx = square_gradient(g, x, 1);
    spoil(dx);
    g.add(0, std::move(dx));
  });
}

TEST(Gradcheck, names_wrong_numbers) {
  using enum WrongKind;
  struct Case {
    WrongKind kind;
    std::string message;
    std::function<void(Tensor& dx)> spoil;
  };
  const auto times = [](Scalar by) { return [by](Tensor& dx) { multiply_by(dx, by); }; };
  // The error is so small that the gradient as a whole looks correct, or like a multiple of it.
  const auto nearly = [](std::size_t first, std::size_t count) {
    return [=](Tensor& dx) {
      for (Scalar& number : dx.values().subspan(first, count)) {
        number *= 1 + 3e-8;
      }
    };
  };
  const auto add_half = [](Tensor& dx) {
    std::ranges::for_each(dx.values(), [](Scalar& number) { number += 0.5; });
  };
  const std::vector<Case> cases{
      {sign, "ratio -1", times(-1)},
      {sign, "the sign is wrong everywhere", times(-1)},
      {no_gradient, "the gradient is 0 everywhere", times(0)},
      {factor, "2 times the right gradient, everywhere", times(2)},
      {factor, "ratio 1.00001", times(1.00001)},
      {one_element, "input 0 [1, 1] of (3, 4)", nearly(5, 1)},
      {some_rows, "only row 1 is wrong; the gradient there is 1 + 3e-08 times the right one",
       nearly(4, 4)},
      {term, "if dL/dy is 0, the gradient is not", add_half},
  };
  for (const auto& [kind, message, spoil] : cases) {
    SCOPED_TRACE(message);
    expect_wrong(check_numbers(spoil), kind, message);
  }
  expect_wrong(check_square([](Gradients&, const Tensor&) {}), no_gradient,
               "backward calls neither g.add(0, ...) nor g.target(0)");
  expect_verdict(check_numbers([](Tensor& dx) { dx.data()[7] = NAN; }), Verdict::not_finite,
                 "input 0 [1, 3] of (3, 4): not finite");
}

TEST(Gradcheck, names_op_input_element_and_both_values) {
  const GradcheckReport report = check_numbers([](Tensor& dx) { dx.data()[6] = 12.5; });
  expect_wrong(report, WrongKind::one_element, "all other elements are right");
  EXPECT_THAT(report.message(),
              AllOf(StartsWith("square: input 0 [1, 2] of (3, 4): wrong (one element)\n"),
                    HasSubstr("backward     12.5\n"), HasSubstr("differences  "),
                    HasSubstr("1 of 12 elements of this input differ")));
}

// Each row of x also gets half of the next row's gradient.
TEST(Gradcheck, sees_a_gradient_that_goes_astray) {
  const auto astray = [](Tensor& dx) {
    for (Index i = 0; i + 4 < dx.size(); ++i) {
      dx.data()[i] += dx.data()[i + 4] / 2;
    }
  };
  expect_wrong(
      check_numbers(astray), WrongKind::some_rows,
      "only rows 0, 1 are wrong; the output's [1, 0] of (3, 4) does not depend on the input's "
      "[0, 0] of (3, 4), but sends a gradient there (more pairs like this: 7)");
}

// The hints about ops that are called "mutant", with wrong gradients planted.
TEST(Gradcheck, names_what_a_wrong_gradient_looks_like) {
  const auto check = [](const std::function<Var(const Vars&)>& op, const Tensors& inputs,
                        const Spoil& spoil) {
    const GradcheckFunction right = [op](Tape&, const Vars& x) { return op(x); };
    return gradcheck(with_gradients(right, spoil), inputs);
  };
  const Tensor x = random_tensor({3, 4}, 1);

  // The derivative of softmax without the term that keeps each row's sum at 1.
  const GradcheckReport no_sum =
      check([](const Vars& at) { return softmax(at[0]); }, {x},
            from_rows([](Scalar y, Scalar dy, Scalar) { return y * dy; },
                      [](const Tensor&, const Tensor&, Index) { return 0; }));
  expect_wrong(no_sum, WrongKind::term, "12 of 12 elements");
  expect_wrong(no_sum, WrongKind::term, "each row of the gradient should sum to 0");

  // x ∘ x / mean(x²), with a derivative that ignores the mean.
  const auto over_mean = [](const Var& squares, const Var& of) {
    return multiply(squares, exp(scale(log(row_means(of)), -1)));
  };
  const auto shares = [over_mean](const Vars& at) {
    const Var squares = multiply(at[0], at[0]);
    return over_mean(squares, squares);
  };
  const auto without_mean = [over_mean](const Vars& at) {
    const Var squares = multiply(at[0], at[0]);
    return over_mean(squares, detached(squares));
  };
  expect_wrong(check(shares, {x}, as_of(without_mean)), WrongKind::term,
               "each row of the gradient should be orthogonal to the input's row");

  // The gradients from columns 5 to 9 of y are lost, as by a loop over only five columns.
  const auto product = [](const Vars& at) { return matmul(at[0], at[1]); };
  const Spoil five_columns = [](BackwardPass& pass) {
    for (Index i = 0; i < pass.dy.size(); ++i) {
      pass.dy.data()[i] *= i % 10 < 5 ? 1 : 0;
    }
    pass.gradients[0] = gradients_of(pass.function, pass.inputs, pass.dy)[0];
  };
  expect_wrong(
      check(product, {x, random_tensor({4, 10}, 2)}, five_columns), WrongKind::term,
      "the gradient from the output's columns 5, 6, 7, 8, 9 is wrong, and the rest is right");

  // Row 1 is used twice, and its second gradient overwrites its first.
  const auto twice_1 = [](const Vars& at) { return lookup(at[0], std::vector<TokenId>{1, 0, 1}); };
  expect_wrong(check(twice_1, {random_tensor({2, 2}, 1)}, scattered(0, {1, 0, 1}, 1, false)),
               WrongKind::some_rows, "row 1 has the gradient from the output's row 2 only");

  // The matrices are square, so shapes fit; only input 1's gradient is wrong.
  const Spoil transposed_1 = [](BackwardPass& pass) { transpose_layout(pass.gradients[1]); };
  expect_wrong(check(product, {random_tensor({3, 3}, 1), random_tensor({3, 3}, 2)}, transposed_1),
               WrongKind::transposed, "mutant: input 1 ");
}

GradcheckReport check(const Function& f, const Function& slope, const std::vector<double>& at,
                      bool probes = true) {
  return gradcheck(elementwise(f, slope), {Tensor::of({std::ssize(at)}, at)}, {.probes = probes});
}

GradcheckReport check_map(const Matrix& forward, const Matrix& backward) {
  return gradcheck(linear_map(forward, backward), {Tensor::of({2}, {0.7, -1.2})});
}

double ramp(double x) { return x > 0 ? x : 0; }
double squared(double x) { return x * x; }
double root(double x) { return std::sqrt(x); }

TEST(GradcheckScale, passes_right_gradients) {
  struct Case {
    std::string name;
    Function f;
    Function slope;
    std::vector<double> at;
  };
  const Function exponential = [](double x) { return std::exp(x); };
  const Function ln = [](double x) { return std::log(x); };
  // Zero on an interval of length 2e-4.
  const Function flat = [](double x) { return ramp(x - 1e-4) - ramp(-x - 1e-4); };
  const Function bent = [](double x) { return x + ramp(x) * ramp(x); };
  const std::vector<Case> cases{
      // Inputs of all sizes at once.
      {"x^2", squared, [](double x) { return 2 * x; }, {1e-30, -1e-10, 1, 1e10, -1e30}},
      {"exp", exponential, exponential, {1e-30, -1e-10, 0, 1, -20}},
      {"log", ln, [](double x) { return 1 / x; }, {1e-30, 1e-10, 1, 1e10, 1e30}},
      {"x + ramp^2", bent, [](double x) { return 1 + 2 * ramp(x); }, {0}},
      {"flat", flat, [](double x) { return std::abs(x) > 1e-4 ? 1 : 0; }, {1e-5, 1, -1}},
  };
  for (const auto& [name, f, slope, at] : cases) {
    const GradcheckReport report = check(f, slope, at);
    EXPECT_TRUE(report.ok()) << name << "\n" << report.message();
  }
}

TEST(GradcheckScale, finds_a_wrong_slope_beside_a_larger_one) {
  for (const double small : {1e-7, 1e-9}) {
    expect_wrong(check_map({{1, small}}, {{1, 0}}), WrongKind::some_rows,
                 "only element 1 is wrong; no gradient arrives there");
    expect_wrong(check_map({{1, small}}, {{1, 2 * small}}), WrongKind::some_rows,
                 "only element 1 is wrong; the gradient there is 2");
  }
}

// Output 1 depends on both inputs. ProveGradcheck.outputs_behind_larger_ones_are_seen has more.
TEST(GradcheckScale, finds_a_wrong_small_output_beside_a_large_one) {
  for (const double small : {1e-9, 1e-20}) {  // so small that the sum over outputs hides it
    expect_wrong(check_map({{1, 2}, {3 * small, small}}, {{1, 2}, {6 * small, 2 * small}}),
                 WrongKind::factor, "seen with dL/dy = 0 except at the output's [1] of (2)");
  }
  // An output a million times smaller is visible in the sum.
  expect_wrong(check_map({{1, 2}, {3e-6, 1e-6}}, {{1, 2}, {6e-6, 2e-6}}), WrongKind::term,
               "the gradient from the output's elements 1 is wrong, and the rest is right");
  // One output is small next to the other, for one input alone.
  expect_wrong(check_map({{1, 2}, {1e-9, 2}}, {{1, 2}, {0, 2}}), WrongKind::some_rows,
               "otherwise larger slopes hide this error");
}

TEST(GradcheckScale, finds_an_infinite_gradient_without_probes) {
  const Function infinite_at_0 = [](double x) { return 0.5 / std::sqrt(x); };
  const Function infinite_at_1 = [](double x) { return x == 1 ? INFINITY : 2 * x; };
  expect_verdict(check(root, infinite_at_0, {0, 1, 4}, false), Verdict::not_finite,
                 "input 0 [0] of (3): not finite");
  // The true slope at 1 is finite.
  expect_verdict(check(squared, infinite_at_1, {0.5, 1, 4}, false), Verdict::not_finite,
                 "input 0 [1] of (3): not finite");
}

TEST(GradcheckScale, names_a_slope_that_is_infinite_and_a_jump) {
  const Function zero_at_0 = [](double x) { return x == 0 ? 0 : 0.5 / std::sqrt(x); };
  expect_verdict(check(root, zero_at_0, {0, 1, 4}), Verdict::kink_nearby, "input 0 [0] of (3)");
  const Function rounded = [](double x) { return std::round(x * 1e4) / 1e4; };
  expect_verdict(check(rounded, [](double) { return 1; }, {0.30001, 1.00002, -1.00002}),
                 Verdict::too_little_precision, "jumps");
}

TEST(GradcheckScale, finds_a_wrong_element_among_inputs_of_all_sizes) {
  for (const double wrong : {1e-30, -1e-10, 1.0, 1e10, -1e30}) {
    const Function slope = [wrong](double x) {
      return (std::abs(x / wrong - 1) < 0.1 ? 3 : 2) * x;
    };
    expect_wrong(check(squared, slope, {1e-30, -1e-10, 1, 1e10, -1e30}), WrongKind::one_element,
                 "all other elements are right");
  }
}

// A wrong shortcut for x = 1: the last bits of x decide whether it is taken.
TEST(GradcheckScale, finds_a_gradient_that_is_wrong_at_one_number) {
  for (const double wrong : {0.0, 1.0, 1e6}) {
    const Function slope = [wrong](double x) { return x == 1 ? wrong : 2 * x; };
    expect_wrong(check(squared, slope, {1, -0.7, 2, 5}), WrongKind::one_element,
                 "input 0 [0] of (4)");
    expect_wrong(check(squared, slope, {1, 1}),
                 wrong == 0 ? WrongKind::no_gradient : WrongKind::factor, "2 of 2 elements");
  }
}

// log x / (x - 1) is 1 at x = 1, with slope -1/2. Near x = 1 the formula for the slope gives only
// rounding errors.
TEST(GradcheckScale, finds_a_wrong_gradient_at_a_removable_singularity) {
  const auto with = [](double at_one) {
    return check([](double x) { return x == 1 ? 1 : std::log(x) / (x - 1); },
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
    const Function slope = [factor](double x) {
      const double y = std::tanh(x);
      return factor * (1 - y * y);
    };
    return gradcheck(elementwise([](double x) { return std::tanh(x); }, slope),
                     {random_tensor({12, 40}, 1)});
  };
  EXPECT_TRUE(tanh_with(1).ok());
  expect_wrong(tanh_with(1 + 3e-8), WrongKind::factor,
               "1 + 3e-08 times the right gradient, everywhere");
  expect_wrong(tanh_with(1 - 3e-8), WrongKind::factor,
               "1 - 3e-08 times the right gradient, everywhere");
  expect_wrong(tanh_with(1 + 3e-8), WrongKind::factor, "480 of 480 elements");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
