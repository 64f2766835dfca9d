// gradcheck's verdicts on correct gradients, unused inputs, kinks and low precision.
#include "core/gradcheck/gradcheck.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/softmax.hpp"
#include "tests/support/expect_verdict.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/square.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(Gradcheck, passes_what_is_right) {
  const GradcheckReport report =
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, 1)); });
  EXPECT_TRUE(report.ok()) << report.message();
  EXPECT_EQ(report.message(), "");
}

TEST(Gradcheck, sees_an_input_that_is_not_used) {
  const GradcheckReport report =
      gradcheck([](Tape&, const std::vector<Var>& x) { return scale(x[1], 2); },
                {random_tensor({3, 4}, 1), random_tensor({2}, 2)});
  expect_verdict(report, Verdict::unused_input, "scale: input 0 (3, 4): unused input");
  expect_verdict(
      gradcheck(
          [](Tape& tape, const std::vector<Var>&) { return tape.constant(Tensor::zeros({3})); },
          {random_tensor({3, 4}, 1)}),
      Verdict::unused_input, "constant: input 0");
}

// |x|
Var absolute(Tape& tape, const std::vector<Var>& x) {
  Tensor y = Tensor::of({1}, {std::abs(x[0].value().data()[0])});
  const Scalar sign = x[0].value().data()[0] < 0 ? -1 : 1;
  return tape.record("absolute", {x[0]}, y, [sign](Gradients& g) {
    g.add(0, Tensor::of({1}, {sign * g.output().data()[0]}));
  });
}

TEST(Gradcheck, tells_a_kink_from_a_mistake) {
  expect_verdict(gradcheck(absolute, {Tensor::of({1}, {0})}), Verdict::kink_nearby,
                 "the slopes to both sides are");
  for (const double x : {1e-5, -1e-5, 3e-4, -0.3}) {  // near the kink there is a slope
    const GradcheckReport report = gradcheck(absolute, {Tensor::of({1}, {x})});
    EXPECT_TRUE(report.ok()) << report.message();
  }
}

TEST(Gradcheck, tells_too_little_precision_from_a_mistake) {
  const auto coarse = [](Tape& tape, const std::vector<Var>& x) {  // x ∘ x, computed as float
    Tensor y = Tensor::empty(x[0].shape());
    std::ranges::transform(x[0].value().values(), y.data(), [](Scalar a) {
      return static_cast<Scalar>(static_cast<float>(a) * static_cast<float>(a));
    });
    return tape.record("coarse", {x[0]}, y,
                       [x = x[0].value()](Gradients& g) { g.add(0, square_gradient(g, x, 1)); });
  };
  expect_verdict(gradcheck(coarse, {random_tensor({3, 4}, 1)}), Verdict::too_little_precision,
                 "do not settle at any step");
}

// The sum of a softmax is 1 for every input, so the cotangent must not be constant.
TEST(Gradcheck, draws_an_uneven_cotangent) {
  const auto wrong_softmax = [](Tape& tape, const std::vector<Var>& x) {
    Tape plain(false);
    const Tensor y = softmax(plain.constant(x[0].value())).value();
    return tape.record("softmax", {x[0]}, y,
                       [y](Gradients& g) { g.add(0, Tensor::zeros(y.shape())); });
  };
  EXPECT_FALSE(gradcheck(wrong_softmax, {random_tensor({1, 4}, 1)}).ok());
}

TEST(Gradcheck, looks_at_every_element_of_every_input) {
  const auto off_at = [](std::size_t input, Index element) {
    return [input, element](Tape& tape, const std::vector<Var>& inputs) {
      Tape plain(false);
      const Tensor y =
          add(plain.constant(inputs[0].value()), plain.constant(inputs[1].value())).value();
      return tape.record("add", inputs, y, [input, element](Gradients& g) {
        for (std::size_t k = 0; k < 2; ++k) {
          Tensor dx = g.output().copy();
          dx.data()[element] += k == input ? 1e-3 : 0;
          g.add(static_cast<Index>(k), std::move(dx));
        }
      });
    };
  };
  for (const std::size_t input : {0U, 1U}) {
    for (Index i = 0; i < 6; ++i) {
      expect_wrong(
          gradcheck(off_at(input, i), {random_tensor({2, 3}, 1), random_tensor({2, 3}, 2)}),
          WrongKind::one_element, fmt::format("input {} [{}, {}] of (2, 3)", input, i / 3, i % 3));
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

TEST(Gradcheck, takes_functions_of_several_ops) {
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& w, const Var& b) {
        return mean(multiply(softmax(add(matmul(x, w), b)), matmul(x, w)));
      },
      random_tensor({3, 4}, 1), random_tensor({4, 5}, 2), random_tensor({5}, 3));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
