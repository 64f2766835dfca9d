// gradcheck must fail for every backward pass that writes where it must not, leaves a gradient
// unwritten, or gives a different result when repeated.
#include "core/gradcheck/gradcheck.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/softmax.hpp"
#include "tests/support/expect_verdict.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/square.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(Gradcheck, sees_a_gradient_that_overwrites_what_it_should_add_to) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   std::ranges::copy(square_gradient(g, x, 1).values(), g.target(0).data);
                 }),
                 Verdict::not_accumulated, "An input used twice would lose one part");
}

TEST(Gradcheck, sees_an_element_that_is_never_written) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   const Tensor gradient = square_gradient(g, x, 1);
                   std::ranges::copy(gradient.values().first(11), g.target(0).data);
                 }),
                 Verdict::not_written,
                 "input 0 [2, 3] of (3, 4): not written\n  hint: this element of the gradient is "
                 "left as its memory was");
}

TEST(Gradcheck, sees_a_gradient_that_counts_on_what_memory_holds) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   const Tensor gradient = square_gradient(g, x, 1);
                   Scalar* into = g.target(0).data;
                   std::transform(into, into + gradient.size(), gradient.data(), into,
                                  std::plus<>());
                 }),
                 Verdict::not_written, "it adds where `accumulate` is false");
}

TEST(Gradcheck, sees_a_forward_that_changes_its_input) {
  const auto careless = [](Tape&, const std::vector<Var>& x) {
    Tensor same_memory = x[0].value();
    same_memory.data()[1] += 0.25;
    return scale(x[0], 3);
  };
  const Tensor x = random_tensor({3, 4}, 1);
  const Tensor before = x.copy();
  expect_verdict(gradcheck(careless, {x}), Verdict::input_overwritten,
                 "scale: input 0 [0, 1] of (3, 4): input overwritten");
  EXPECT_THAT(x.values(), ElementsAreArray(before.values()))
      << "only copies are at the function's mercy";
}

// A second forward pass would change nothing more.
TEST(Gradcheck, sees_a_forward_that_changes_its_input_only_once) {
  const auto careless = [](Tape&, const std::vector<Var>& x) {
    Tensor same_memory = x[0].value();
    const Scalar largest = std::ranges::max(same_memory.values());
    for (Scalar& a : same_memory.values()) {
      a -= largest;
    }
    return softmax(x[0]);
  };
  expect_verdict(gradcheck(careless, {random_tensor({3, 4}, 1)}), Verdict::input_overwritten,
                 "the forward pass writes into its input");
}

TEST(Gradcheck, sees_a_backward_that_changes_its_input) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   g.add(0, square_gradient(g, x, 1));
                   Tensor same_memory = x;
                   same_memory.data()[1] += 0.25;
                 }),
                 Verdict::input_overwritten, "the backward pass writes into its input");
}

TEST(Gradcheck, sees_a_backward_that_changes_a_gradient_others_hold) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   g.add(0, square_gradient(g, x, 1));
                   Tensor same_memory = g.output();
                   same_memory.data()[1] += 0.25;
                 }),
                 Verdict::input_overwritten, "writes into the gradient of its output");
}

TEST(Gradcheck, sees_a_backward_that_changes_its_output) {
  const auto careless = [](Tape& tape, const std::vector<Var>& x) {
    Tensor y = Tensor::full(x[0].shape(), 3);
    return tape.record("careless", {x[0]}, y, [y](Gradients& g) {
      Tensor same_memory = y;
      same_memory.data()[0] = 0;
      g.add(0, Tensor::zeros(y.shape()));
    });
  };
  expect_verdict(gradcheck(careless, {random_tensor({3, 4}, 1)}), Verdict::input_overwritten,
                 "the backward pass writes into its output");
}

TEST(Gradcheck, sees_a_forward_that_does_not_repeat_itself) {
  Scalar calls = 0;
  expect_verdict(gradcheck(
                     [&calls](Tape&, const std::vector<Var>& x) {
                       calls += 1;
                       return scale(x[0], calls);
                     },
                     {random_tensor({3, 4}, 1)}),
                 Verdict::nondeterministic, "scale: nondeterministic");
}

TEST(Gradcheck, sees_a_backward_that_does_not_repeat_itself) {
  Scalar calls = 0;
  expect_verdict(check_square([&calls](Gradients& g, const Tensor& x) {
                   calls += 1e-12;
                   g.add(0, square_gradient(g, x, 1 + calls));
                 }),
                 Verdict::nondeterministic, "a second backward pass, on a new tape");
}

// Input 0's gradient is computed together with input 1's, and is missing if input 1 needs none.
TEST(Gradcheck, sees_a_gradient_that_depends_on_what_else_needs_one) {
  const auto sloppy = [](Tape& tape, const std::vector<Var>& inputs) {
    Tape plain(false);
    const Tensor y =
        add(plain.constant(inputs[0].value()), plain.constant(inputs[1].value())).value();
    return tape.record("sloppy", inputs, y, [](Gradients& g) {
      if (g.needs(1)) {
        g.add(1, g.output());
        g.add(0, g.output());
      }
    });
  };
  expect_wrong(gradcheck(sloppy, {random_tensor({3, 4}, 1), random_tensor({3, 4}, 2)}),
               WrongKind::none, "where input 1 needs none");
}

// y = exp(a b) c; the backward pass computes the exponential only if `made` returns true.
GradcheckReport check_shared_exponential(const std::function<bool(const Gradients&)>& made) {
  const auto f = [&](Tape& tape, const std::vector<Var>& inputs) {
    Tape plain(false);
    const Var a = plain.constant(inputs[0].value());
    const Var b = plain.constant(inputs[1].value());
    const Var c = plain.constant(inputs[2].value());
    const Tensor y = multiply(exp(multiply(a, b)), c).value();
    return tape.record("shared", inputs, y,
                       [made, a = a.value(), b = b.value(), c = c.value()](Gradients& g) {
                         Tensor da = Tensor::zeros(a.shape());
                         Tensor db = da.copy();
                         Tensor dc = da.copy();
                         for (Index i = 0; i < a.size() && made(g); ++i) {
                           const Scalar e = std::exp(a.data()[i] * b.data()[i]);
                           dc.data()[i] = g.output().data()[i] * e;
                           da.data()[i] = dc.data()[i] * c.data()[i] * b.data()[i];
                           db.data()[i] = dc.data()[i] * c.data()[i] * a.data()[i];
                         }
                         g.add(0, std::move(da));
                         g.add(1, std::move(db));
                         g.add(2, std::move(dc));
                       });
  };
  return gradcheck(f,
                   {random_tensor({3, 4}, 1), random_tensor({3, 4}, 2), random_tensor({3, 4}, 3)});
}

TEST(Gradcheck, sees_a_gradient_that_is_lost_where_two_others_need_none) {
  const GradcheckReport right = check_shared_exponential([](const Gradients&) { return true; });
  EXPECT_TRUE(right.ok()) << right.message();
  expect_wrong(
      check_shared_exponential([](const Gradients& g) { return g.needs(0) || g.needs(1); }),
      WrongKind::none, "seen with all inputs but 2 as constants");
}

// gradcheck fills fresh memory with NaN.
TEST(Gradcheck, sees_rows_left_unwritten_where_the_cotangent_is_zero) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   const Tensor right = square_gradient(g, x, 1);
                   Tensor dx = Tensor::empty(x.shape());
                   const Index D = x.dim(1);
                   for (Index n = 0; n < x.dim(0); ++n) {
                     const Scalar* dy = g.output().row(n);
                     if (std::any_of(dy, dy + D, [](Scalar d) { return d != 0; })) {
                       std::copy_n(right.row(n), D, dx.row(n));
                     }
                   }
                   g.add(0, std::move(dx));
                 }),
                 Verdict::not_finite, "where elements of dL/dy are 0");
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

// The cotangent's elements are at most 1.5.
TEST(Gradcheck, sees_a_limit_of_the_cotangent) {
  expect_wrong(check_square([](Gradients& g, const Tensor& x) {
                 Tensor dx = square_gradient(g, x, 1);
                 for (Index i = 0; i < x.size(); ++i) {
                   const Scalar dy = g.output().data()[i];
                   dx.data()[i] *= std::clamp<Scalar>(dy, -2, 2) / (dy == 0 ? 1 : dy);
                 }
                 g.add(0, std::move(dx));
               }),
               WrongKind::none,
               "is not -1024 times as much: an absolute value, a limit or a threshold?");
}

// Correct as long as no element of the cotangent is 0.
TEST(Gradcheck, sees_a_gradient_that_depends_on_zeros_of_the_cotangent) {
  const auto counting = [](Gradients& g, const Tensor& x) {
    const Scalar zeros = static_cast<Scalar>(std::ranges::count(g.output().values(), Scalar{0}));
    g.add(0, square_gradient(g, x, 1 + zeros));
  };
  expect_wrong(check_square(counting), WrongKind::none, "these should add up");
}

TEST(Gradcheck, sees_an_output_that_depends_on_recording) {
  const auto lazy = [](Tape& tape, const std::vector<Var>& x) {
    return scale(x[0], tape.recording() ? 1 : 1.5);
  };
  expect_verdict(gradcheck(lazy, {random_tensor({3, 4}, 1)}), Verdict::nondeterministic,
                 "another output where the tape does not record");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
