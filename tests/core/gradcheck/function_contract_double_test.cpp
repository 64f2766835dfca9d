// The guard on the guard: gradcheck must fail for every pass that writes what it should not, leaves
// out what it should write, or does not repeat itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/gradcheck/gradcheck.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/softmax.hpp"
#include "support/random_tensor.hpp"
#include "tests/support/expect_verdict.hpp"
#include "tests/support/square.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

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
                 Verdict::not_written, "input 0 [2, 3] of (3, 4)");
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
  EXPECT_THAT(x.values(), ::testing::ElementsAreArray(before.values()))
      << "only copies are at the function's mercy";
}

// Once done it changes nothing more.
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

// The first input's gradient is made on the way to the second one's, and forgotten without it.
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

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
