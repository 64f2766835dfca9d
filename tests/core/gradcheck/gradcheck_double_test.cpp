// gradcheck's verdicts on correct gradients, unused inputs, kinks and low precision, and on
// backward passes that write where they must not, leave a gradient unwritten, or do not repeat
// themselves.
#include "core/gradcheck/gradcheck.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/softmax.hpp"
#include "tests/core/gradcheck/mutants/elementwise.hpp"
#include "tests/core/gradcheck/mutants/planting.hpp"
#include "tests/support/expect_verdict.hpp"
#include "tests/support/square.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(Gradcheck, passes_what_is_right) {
  const GradcheckReport report =
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, 1)); });
  EXPECT_TRUE(report.ok()) << report.message();
  EXPECT_EQ(report.message(), "");
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& w, const Var& b) {
        return mean(multiply(softmax(add(matmul(x, w), b)), matmul(x, w)));
      },
      random_tensor({3, 4}, 1), random_tensor({4, 5}, 2), random_tensor({5}, 3));
}

TEST(Gradcheck, sees_an_input_that_is_not_used) {
  const auto second = [](Tape&, const std::vector<Var>& x) { return scale(x[1], 2); };
  const auto none = [](Tape& tape, const std::vector<Var>&) {
    return tape.constant(Tensor::zeros({3}));
  };
  const Tensor x = random_tensor({3, 4}, 1);
  expect_verdict(gradcheck(second, {x, random_tensor({2}, 2)}), Verdict::unused_input,
                 "scale: input 0 (3, 4): unused input");
  expect_verdict(gradcheck(none, {x}), Verdict::unused_input, "constant: input 0");
}

TEST(Gradcheck, tells_a_kink_from_a_mistake) {
  const auto check_absolute = [](Scalar x) {
    return gradcheck(
        elementwise([](double a) { return std::abs(a); }, [](double a) { return a < 0 ? -1 : 1; }),
        {Tensor::of({1}, {x})});
  };
  expect_verdict(check_absolute(0), Verdict::kink_nearby,
                 "the slopes below and above this input value are");
  for (const double x : {1e-5, -1e-5, 3e-4, -0.3}) {  // near the kink there is a slope
    EXPECT_TRUE(check_absolute(x).ok()) << check_absolute(x).message();
  }
}

TEST(Gradcheck, tells_too_little_precision_from_a_mistake) {
  const Function in_floats = [](double a) {
    return static_cast<double>(static_cast<float>(a) * static_cast<float>(a));
  };
  expect_verdict(
      gradcheck(elementwise(in_floats, [](double a) { return 2 * a; }), {random_tensor({3, 4}, 1)}),
      Verdict::too_little_precision, "do not converge at any step size");
}

TEST(Gradcheck, looks_at_every_element_of_every_input) {
  for (const Index input : {0, 1}) {
    for (Index i = 0; i < 6; ++i) {
      const auto off = sum_with([input, i](Gradients& g) {
        Tensor dx = g.output().copy();
        dx.data()[i] += 1e-3;
        g.add(1 - input, g.output());
        g.add(input, std::move(dx));
      });
      expect_wrong(gradcheck(off, {random_tensor({2, 3}, 1), random_tensor({2, 3}, 2)}),
                   WrongKind::one_element,
                   fmt::format("input {} [{}, {}] of (2, 3)", input, i / 3, i % 3));
    }
  }
}

TEST(Gradcheck, names_no_single_op_of_several) {
  const auto f = [](Tape&, const std::vector<Var>& x) {
    return scale(
        square(x[0], [](Gradients& g, const Tensor& at) { g.add(0, square_gradient(g, at, 3)); }),
        0.5);
  };
  expect_wrong(gradcheck(f, {random_tensor({3, 4}, 1)}), WrongKind::factor,
               "the function (its last op: scale): input 0");
}

void change_one(Tensor same_memory) { same_memory.data()[1] += 0.25; }

TEST(Gradcheck, sees_an_element_that_is_never_written) {
  expect_verdict(
      check_square([](Gradients& g, const Tensor& x) {
        const Tensor gradient = square_gradient(g, x, 1);
        std::ranges::copy(gradient.values().first(11), g.target(0).data);
      }),
      Verdict::not_written,
      "input 0 [2, 3] of (3, 4): not written\n  hint: backward does not write this element of "
      "the gradient");
}

// y = x ∘ x; the backward pass also gets the right gradient.
GradcheckFunction squared_with(
    const std::function<void(Gradients& g, const Tensor& x, Tensor right)>& backward) {
  return [backward](Tape&, const std::vector<Var>& x) {
    return square(x[0], [backward](Gradients& g, const Tensor& at) {
      backward(g, at, square_gradient(g, at, 1));
    });
  };
}

TEST(Gradcheck, sees_what_breaks_the_contract) {
  struct Case {
    Verdict verdict;
    std::string message;
    GradcheckFunction function;
  };
  Scalar calls = 0;
  Scalar backward_calls = 0;
  const std::vector<Case> cases{
      {Verdict::not_written, "backward adds although `accumulate` is false",
       squared_with([](Gradients& g, const Tensor&, const Tensor& right) {
         Scalar* into = g.target(0).data;
         std::ranges::transform(right.values(), std::span(into, right.values().size()), into,
                                std::plus<>());
       })},
      {Verdict::input_overwritten, "the backward pass writes into its input",
       squared_with([](Gradients& g, const Tensor& x, const Tensor& right) {
         g.add(0, right.copy());
         change_one(x);
       })},
      {Verdict::input_overwritten, "writes into dL/dy, the gradient of its output",
       squared_with([](Gradients& g, const Tensor&, const Tensor& right) {
         g.add(0, right.copy());
         change_one(g.output());
       })},
      {Verdict::nondeterministic, "a second backward pass, on a new tape",
       squared_with([&backward_calls](Gradients& g, const Tensor& x, const Tensor&) {
         backward_calls += 1e-12;
         g.add(0, square_gradient(g, x, 1 + backward_calls));
       })},
      // gradcheck fills fresh memory with NaN.
      {Verdict::not_finite, "with some elements of dL/dy set to 0",
       squared_with([](Gradients& g, const Tensor& x, const Tensor& right) {
         Tensor dx = Tensor::empty(x.shape());
         for (Index n = 0; n < x.dim(0); ++n) {
           const auto is_zero = [](Scalar d) { return d == 0; };
           if (!std::all_of(g.output().row(n), g.output().row(n + 1), is_zero)) {
             std::copy(right.row(n), right.row(n + 1), dx.row(n));
           }
         }
         g.add(0, std::move(dx));
       })},
      // The cotangent's elements are at most 1.5.
      {Verdict::wrong, "is not -1024 times as much: does backward use an absolute value, a limit",
       squared_with([](Gradients& g, const Tensor& x, Tensor right) {
         for (Index i = 0; i < x.size(); ++i) {
           const Scalar dy = g.output().data()[i];
           right.data()[i] *= std::clamp<Scalar>(dy, -2, 2) / (dy == 0 ? 1 : dy);
         }
         g.add(0, std::move(right));
       })},
      // Correct as long as no element of the cotangent is 0.
      {Verdict::wrong, "these two should add up",
       squared_with([](Gradients& g, const Tensor& x, const Tensor&) {
         const auto zeros = std::ranges::count(g.output().values(), Scalar{0});
         g.add(0, square_gradient(g, x, static_cast<Scalar>(1 + zeros)));
       })},
      {Verdict::input_overwritten, "scale: input 0 [0, 1] of (3, 4): input overwritten",
       [](Tape&, const std::vector<Var>& x) {
         change_one(x[0].value());
         return scale(x[0], 3);
       }},
      // A second forward pass would change nothing more.
      {Verdict::input_overwritten, "the forward pass writes into its input",
       [](Tape&, const std::vector<Var>& x) {
         Tensor same_memory = x[0].value();
         const Scalar largest = std::ranges::max(same_memory.values());
         std::ranges::for_each(same_memory.values(), [largest](Scalar& a) { a -= largest; });
         return softmax(x[0]);
       }},
      {Verdict::input_overwritten, "the backward pass writes into its output",
       [](Tape& tape, const std::vector<Var>& x) {
         const Tensor y = Tensor::full(x[0].shape(), 3);
         return tape.record("careless", {x[0]}, y, [y](Gradients& g) {
           change_one(y);
           g.add(0, Tensor::zeros(y.shape()));
         });
       }},
      {Verdict::nondeterministic, "scale: nondeterministic",
       [&calls](Tape&, const std::vector<Var>& x) {
         calls += 1;
         return scale(x[0], calls);
       }},
      {Verdict::nondeterministic, "the output differs when the tape does not record",
       [](Tape& tape, const std::vector<Var>& x) {
         return scale(x[0], tape.recording() ? 1 : 1.5);
       }},
  };
  const Tensor x = random_tensor({3, 4}, 1);
  for (const auto& [verdict, message, function] : cases) {
    SCOPED_TRACE(message);
    expect_verdict(gradcheck(function, {x}), verdict, message);
  }
  EXPECT_THAT(x.values(), ElementsAreArray(random_tensor({3, 4}, 1).values()))
      << "only copies are at the function's mercy";
}

// Input 0's gradient is computed together with input 1's, and is missing if input 1 needs none.
TEST(Gradcheck, sees_a_gradient_that_depends_on_what_else_needs_one) {
  const auto sloppy = sum_with([](Gradients& g) {
    if (g.needs(1)) {
      g.add(1, g.output());
      g.add(0, g.output());
    }
  });
  expect_wrong(gradcheck(sloppy, {random_tensor({3, 4}, 1), random_tensor({3, 4}, 2)}),
               WrongKind::none, "if input 1 needs no gradient");
}

// y = exp(a b) c; the backward pass computes the exponential only if `made` returns true.
GradcheckReport check_shared_exponential(const std::function<bool(const Gradients&)>& made) {
  const GradcheckFunction right = [](Tape&, const Vars& x) {
    return multiply(exp(multiply(x[0], x[1])), x[2]);
  };
  const HandIn hand_in = [made](Gradients& g, Index k, const BackwardPass& pass) {
    const Tensor& gradient = pass.gradients[static_cast<std::size_t>(k)];
    g.add(k, made(g) ? gradient.copy() : Tensor::zeros(gradient.shape()));
  };
  const auto shared = [&](Tape& tape, const Vars& x) {
    const Tensor value = value_of(right, values_of(x));
    return record_planted(tape, x, right, value, [](BackwardPass&) {}, hand_in);
  };
  return gradcheck(GradcheckFunction(shared),
                   {random_tensor({3, 4}, 1), random_tensor({3, 4}, 2), random_tensor({3, 4}, 3)});
}

TEST(Gradcheck, sees_a_gradient_that_is_lost_where_two_others_need_none) {
  const GradcheckReport right = check_shared_exponential([](const Gradients&) { return true; });
  EXPECT_TRUE(right.ok()) << right.message();
  expect_wrong(
      check_shared_exponential([](const Gradients& g) { return g.needs(0) || g.needs(1); }),
      WrongKind::none, "seen with all inputs except 2 as constants");
}

// The cotangent of seed 1 is positive if there is only one output.
TEST(Gradcheck, sees_an_absolute_value_of_the_cotangent) {
  const auto absolute = [](Tape&, const std::vector<Var>& x) {
    return square(x[0], [](Gradients& g, const Tensor& at) {
      g.add(0, Tensor::of({1}, {2 * at.data()[0] * std::abs(g.output().data()[0])}));
    });
  };
  expect_wrong(gradcheck(absolute, {Tensor::of({1}, {0.7})}), WrongKind::none,
               "not linear in dL/dy");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
