// EXPECT_GRADCHECK and ASSERT_GRADCHECK: their arguments and their failure messages. And
// docs/check-your-gradient.md quotes the real messages for its three wrong backward passes.
#include <gtest/gtest-spi.h>
#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/linear.hpp"
#include "tests/consumer/gated.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// y = 3 x, with the gradient of y = 2 x.
Var wrong(const Var& x) {
  Tape plain(false);
  return x.tape().record("wrong", {x}, scale(plain.constant(x.value()), 3).value(),
                         [](Gradients& g) {
                           Tape unrecorded(false);
                           g.add(0, scale(unrecorded.constant(g.output()), 2).value());
                         });
}

TEST(GradcheckAssertions, take_functions_of_vars_and_segments_and_options) {
  EXPECT_GRADCHECK(matmul, random(3, 5), random(5, 4));
  ASSERT_GRADCHECK([](const Var& a, const Var& b) { return matmul(a, b); }, random(3, 5),
                   Tensor::of({5, 1}, {1, -2, 3, 0.5, 0.25}));
  const auto attend = [](const Var& q, const Var& k, const Var& v, const Segments& segments) {
    return attention({q}, {k}, {v}, segments, segments,
                     {.heads = 2, .d_key = 3, .d_value = 2, .patterns = {Pattern::causal()}});
  };
  EXPECT_GRADCHECK(attend, random(7, 6), random(7, 6), random(7, 4));
  // A gradient that is a third too small passes with this tolerance.
  EXPECT_GRADCHECK((GradcheckOptions{.relative_tolerance = 0.5}), wrong, random(2, 3));
}

TEST(GradcheckAssertions, draw_other_numbers_for_each_input) {
  const Tensor first = drawn(random(2, 3), 0);
  EXPECT_NE(first.data()[0], drawn(random(2, 3), 1).data()[0]);
  EXPECT_EQ(first.data()[5], drawn(random(2, 3), 0).data()[5]);
}

TEST(GradcheckAssertions, fail_with_the_report_and_end_the_test_where_asked_to) {
  EXPECT_NONFATAL_FAILURE(EXPECT_GRADCHECK(wrong, random(2, 3)),
                          "the gradient check fails\nwrong: input 0 [");
  EXPECT_NONFATAL_FAILURE(EXPECT_GRADCHECK(wrong, random(2, 3)),
                          "hint: 0.666667 times the right gradient, everywhere");
  EXPECT_FATAL_FAILURE(ASSERT_GRADCHECK(wrong, random(2, 3)), "ratio 0.666667");
}

// What a backward pass of the op of tests/consumer has: the right gradients, and dgate without the
// factor 1 - σ.
struct GatedGradients {
  Tensor dx;
  Tensor dgate;
  Tensor without_factor;
};

GatedGradients gated_gradients(const Tensor& dy, const Tensor& x, const Tensor& gate) {
  GatedGradients made{dy.copy(), dy.copy(), dy.copy()};
  for (Index i = 0; i < dy.size(); ++i) {
    const Scalar sigmoid = 1 / (1 + std::exp(-gate.data()[i]));
    made.dx.data()[i] *= sigmoid;
    made.without_factor.data()[i] *= x.data()[i] * sigmoid;
    made.dgate.data()[i] *= x.data()[i] * sigmoid * (1 - sigmoid);
  }
  return made;
}

TEST(CheckYourGradient, shows_the_messages_that_there_are) {
  const std::vector<std::function<void(Gradients & g, GatedGradients & made)>> wrong_ways{
      [](Gradients& g, GatedGradients& made) {
        g.add(0, made.dx);
        g.add(1, made.without_factor);
      },
      [](Gradients& g, GatedGradients& made) {  // one row short
        g.add(0, made.dx);
        std::fill(made.dgate.row(6), made.dgate.row(7), Scalar{0});
        g.add(1, made.dgate);
      },
      [](Gradients& g, GatedGradients& made) {  // overwriting
        std::ranges::copy(made.dx.values(), g.target(0).data);
        g.add(1, made.dgate);
      },
  };
  std::ostringstream page;
  page << std::ifstream(TAPEHEAD_SOURCE_DIR "/docs/check-your-gradient.md").rdbuf();
  for (const auto& backward : wrong_ways) {
    const auto wrongly_gated = [&](Tape& tape, const std::vector<Var>& inputs) {
      Tape forward(false);
      const Tensor x = inputs[0].value();
      const Tensor gate = inputs[1].value();
      const Tensor y = gated(forward.constant(x), forward.constant(gate)).value();
      return tape.record("gated", inputs, y, [&backward, x, gate](Gradients& g) {
        GatedGradients made = gated_gradients(g.output(), x, gate);
        backward(g, made);
      });
    };
    const std::string message = gradcheck(GradcheckFunction(wrongly_gated),
                                          {drawn(random(7, 5), 0), drawn(random(7, 5), 1)})
                                    .message();
    std::string indented;  // by four, as in the document
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);) {
      indented += (indented.empty() ? "    " : "\n    ") + line;
    }
    EXPECT_THAT(page.str(), HasSubstr(indented));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
