// The guard on the guard: gradcheck must fail for every kind of backward pass that is wrong.
#include "core/gradcheck/gradcheck.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/draws.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/matmul.hpp"
#include "core/ops/reduce.hpp"
#include "core/ops/softmax.hpp"
#include "core/pool.hpp"
#include "tests/support/gradcheck.hpp"
#include "tests/support/random.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// y = x ∘ x, with a backward pass to try out.
using Backward = std::function<void(Gradients&, const Tensor& x)>;

Var square(const Var& x, const Backward& backward) {
  Tensor y = Tensor::empty(x.shape());
  std::ranges::transform(x.value().values(), y.data(), [](Scalar a) { return a * a; });
  return x.tape().record("square", {x}, std::move(y),
                         [x = x.value(), backward](Gradients& g) { backward(g, x); });
}

// factor 2 x dy, as it should be where the factor is 1.
Tensor square_gradient(const Gradients& g, const Tensor& x, Scalar factor) {
  Tensor dx = Tensor::empty(x.shape());
  for (Index i = 0; i < x.size(); ++i) {
    dx.data()[i] = factor * 2 * x.data()[i] * g.output().data()[i];
  }
  return dx;
}

GradcheckReport check_square(const Backward& backward, const GradcheckOptions& options = {}) {
  return gradcheck([&](Tape&, const std::vector<Var>& x) { return square(x[0], backward); },
                   {random_tensor({3, 4}, 1)}, options);
}

// Other checks for the time of a test.
class WithChecks {
 public:
  explicit WithChecks(Checks other) : before_(std::exchange(checks(), other)) {}
  ~WithChecks() { checks() = before_; }
  WithChecks(const WithChecks&) = delete;
  WithChecks& operator=(const WithChecks&) = delete;

 private:
  Checks before_;
};

void expect_wrong(const GradcheckReport& report, const std::string& message) {
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.message, HasSubstr(message));
}

TEST(Gradcheck, PassesWhatIsRight) {
  const GradcheckReport report =
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, 1)); });
  EXPECT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.message, "");
}

TEST(Gradcheck, SeesAWrongSign) {
  expect_wrong(
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, -1)); }),
      "ratio -1");
}

TEST(Gradcheck, SeesAWrongFactor) {
  expect_wrong(
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, 2)); }),
      "ratio 2)");
  expect_wrong(
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, 1.00001)); }),
      "ratio 1.00001)");
}

TEST(Gradcheck, SeesAMissingGradient) {
  expect_wrong(check_square([](Gradients&, const Tensor&) {}), "backward gives 0,");
}

TEST(Gradcheck, SeesAGradientThatIsNotANumber) {
  const WithChecks none({});
  expect_wrong(check_square([](Gradients& g, const Tensor& x) {
                 Tensor dx = square_gradient(g, x, 1);
                 dx.data()[7] = std::numeric_limits<Scalar>::quiet_NaN();
                 g.add(0, std::move(dx));
               }),
               "input 0 [1, 3] of (3, 4): backward gives nan");
}

TEST(Gradcheck, NamesOpInputElementAndBothValues) {
  const GradcheckReport report = check_square([](Gradients& g, const Tensor& x) {
    Tensor dx = square_gradient(g, x, 1);
    dx.data()[6] = 12.5;
    g.add(0, std::move(dx));
  });
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.message,
              AllOf(StartsWith("square: dL/d input 0 [1, 2] of (3, 4): backward gives 12.5, "),
                    HasSubstr("differences "), HasSubstr("1 of 12 elements")));
}

// The softmax's derivative without the term that holds its rows' sums at 1.
TEST(Gradcheck, SeesAMissingTerm) {
  const auto softmax_without_sum = [](Tape& tape, const std::vector<Var>& x) {
    Tape plain(false);
    const Tensor y = softmax(plain.constant(x[0].value())).value();
    return tape.record("softmax", {x[0]}, y, [y](Gradients& g) {
      Tensor dx = Tensor::empty(y.shape());
      for (Index i = 0; i < y.size(); ++i) {
        dx.data()[i] = y.data()[i] * g.output().data()[i];
      }
      g.add(0, std::move(dx));
    });
  };
  expect_wrong(gradcheck(softmax_without_sum, {random_tensor({3, 4}, 1)}), "12 of 12 elements");
}

// Square matrices, so that the shapes fit nevertheless; only the second input's gradient is wrong.
TEST(Gradcheck, SeesATransposedGradient) {
  const auto product = [](Tape& tape, const std::vector<Var>& inputs) {
    Tape plain(false);
    const Tensor a = inputs[0].value();
    const Tensor b = inputs[1].value();
    const Tensor y = matmul(plain.constant(a), plain.constant(b)).value();
    return tape.record("product", inputs, y, [a, b](Gradients& g) {
      Tape unrecorded(false);
      const Var dy = unrecorded.constant(g.output());
      const Var at = transpose(unrecorded.constant(a));
      const Var bt = transpose(unrecorded.constant(b));
      g.add(0, matmul(dy, bt).value());
      g.add(1, transpose(matmul(at, dy)).value());
    });
  };
  expect_wrong(gradcheck(product, {random_tensor({3, 3}, 1), random_tensor({3, 3}, 2)}),
               "product: dL/d input 1 ");
}

TEST(Gradcheck, SeesAGradientThatOverwritesWhatItShouldAddTo) {
  expect_wrong(check_square([](Gradients& g, const Tensor& x) {
                 std::ranges::copy(square_gradient(g, x, 1).values(), g.target(0).data);
               }),
               "does not add to what is there");
}

// Fresh memory is NaN here, so an element left out shows at once.
TEST(Gradcheck, SeesAnElementThatIsNeverWritten) {
  const WithChecks only_poison({.poison = true, .finite = false});
  expect_wrong(check_square([](Gradients& g, const Tensor& x) {
                 std::ranges::copy(square_gradient(g, x, 1).values().first(11), g.target(0).data);
               }),
               "input 0 [2, 3] of (3, 4): backward gives -nan");  // every bit of it set
}

// The first two runs happen to find the right number in an element that they leave out.
TEST(Gradcheck, SeesAGradientThatCountsOnWhatMemoryHolds) {
  const WithChecks none({});
  int runs = 0;
  expect_wrong(check_square([&runs](Gradients& g, const Tensor& x) {
                 const std::size_t written = ++runs > 2 ? 11 : 12;
                 const Tensor gradient = square_gradient(g, x, 1);
                 std::ranges::copy(gradient.values().first(written), g.target(0).data);
               }),
               "the gradient of input 0 [2, 3] of (3, 4) depends on what its memory held");
}

TEST(Gradcheck, SeesAForwardThatChangesItsInput) {
  const auto careless = [](Tape&, const std::vector<Var>& x) {
    Tensor same_memory = x[0].value();
    same_memory.data()[1] += 0.25;
    return scale(x[0], 3);
  };
  expect_wrong(gradcheck(careless, {random_tensor({3, 4}, 1)}),
               "scale: the forward pass changes input 0");
}

TEST(Gradcheck, SeesABackwardThatChangesItsInput) {
  expect_wrong(check_square([](Gradients& g, const Tensor& x) {
                 g.add(0, square_gradient(g, x, 1));
                 Tensor same_memory = x;
                 same_memory.data()[1] += 0.25;
               }),
               "the backward pass changes input 0");
}

TEST(Gradcheck, SeesABackwardThatChangesAGradientOthersHold) {
  expect_wrong(check_square([](Gradients& g, const Tensor& x) {
                 g.add(0, square_gradient(g, x, 1));
                 Tensor same_memory = g.output();
                 same_memory.data()[1] += 0.25;
               }),
               "changes the gradient of its output");
}

TEST(Gradcheck, SeesABackwardThatChangesItsOutput) {
  const auto careless = [](Tape& tape, const std::vector<Var>& x) {
    Tensor y = Tensor::full(x[0].shape(), 3);
    return tape.record("careless", {x[0]}, y, [y](Gradients& g) {
      Tensor same_memory = y;
      same_memory.data()[0] = 0;
      g.add(0, Tensor::zeros(y.shape()));
    });
  };
  expect_wrong(gradcheck(careless, {random_tensor({3, 4}, 1)}), "the output has other bits");
}

TEST(Gradcheck, SeesAForwardThatDoesNotRepeatItself) {
  Scalar calls = 0;
  expect_wrong(gradcheck(
                   [&calls](Tape&, const std::vector<Var>& x) {
                     calls += 1;
                     return scale(x[0], calls);
                   },
                   {random_tensor({3, 4}, 1)}),
               "scale: the output has other bits");
}

TEST(Gradcheck, SeesABackwardThatDoesNotRepeatItself) {
  Scalar calls = 0;
  expect_wrong(check_square([&calls](Gradients& g, const Tensor& x) {
                 calls += 1e-12;
                 g.add(0, square_gradient(g, x, 1 + calls));
               }),
               "a second run gives input 0 a gradient with other bits");
}

// The first input's gradient is made on the way to the second one's, and forgotten without it.
TEST(Gradcheck, SeesAGradientThatDependsOnWhatElseNeedsOne) {
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
               "where input 1 needs none");
}

TEST(Gradcheck, SeesAFunctionThatUsesNoInput) {
  expect_wrong(gradcheck([](Tape& tape,
                            const std::vector<Var>&) { return tape.constant(Tensor::zeros({3})); },
                         {random_tensor({3, 4}, 1)}),
               "the output is a constant");
}

TEST(Gradcheck, DoubtsDifferencesAtAKink) {
  const auto absolute = [](Tape& tape, const std::vector<Var>& x) {
    Tensor y = Tensor::of({1}, {std::abs(x[0].value().data()[0])});
    return tape.record("absolute", {x[0]}, y, [](Gradients& g) { g.add(0, g.output()); });
  };
  expect_wrong(gradcheck(absolute, {Tensor::of({1}, {1.5e-4})}), "not to be trusted");
  EXPECT_TRUE(gradcheck(absolute, {Tensor::of({1}, {2.5e-4})}).ok);
}

// A sum of a softmax is 1 whatever its input is: the cotangent must not be a plain sum.
TEST(Gradcheck, DrawsAnUnevenCotangent) {
  const auto wrong_softmax = [](Tape& tape, const std::vector<Var>& x) {
    Tape plain(false);
    const Tensor y = softmax(plain.constant(x[0].value())).value();
    return tape.record("softmax", {x[0]}, y,
                       [y](Gradients& g) { g.add(0, Tensor::zeros(y.shape())); });
  };
  EXPECT_FALSE(gradcheck(wrong_softmax, {random_tensor({1, 4}, 1)}).ok);
}

TEST(Gradcheck, LooksAtEveryElementOfEveryInput) {
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
          fmt::format("input {} [{}, {}] of (2, 3)", input, i / 3, i % 3));
    }
  }
}

TEST(Gradcheck, TakesFunctionsOfSeveralOps) {
  expect_gradcheck(
      [](const Var& x, const Var& w, const Var& b) {
        return mean(multiply(softmax(add(matmul(x, w), b)), matmul(x, w)));
      },
      random_tensor({3, 4}, 1), random_tensor({4, 5}, 2), random_tensor({5}, 3));
}

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
