// The guard on the guard: gradcheck must fail for every kind of backward pass that is wrong.
#include "core/gradcheck/gradcheck.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tapehead/gtest.hpp>

#include <algorithm>
#include <array>
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

void expect_verdict(const GradcheckReport& report, Verdict verdict, WrongKind kind,
                    const std::string& message) {
  ASSERT_EQ(report.findings.size(), 1U) << report.message();
  EXPECT_EQ(name_of(report.findings[0].verdict), name_of(verdict)) << report.message();
  EXPECT_EQ(name_of(report.findings[0].kind), name_of(kind)) << report.message();
  EXPECT_THAT(report.message(), HasSubstr(message));
}

void expect_verdict(const GradcheckReport& report, Verdict verdict, const std::string& message) {
  expect_verdict(report, verdict, WrongKind::none, message);
}

void expect_wrong(const GradcheckReport& report, WrongKind kind, const std::string& message) {
  expect_verdict(report, Verdict::wrong, kind, message);
}

TEST(Gradcheck, PassesWhatIsRight) {
  const GradcheckReport report =
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, 1)); });
  EXPECT_TRUE(report.ok()) << report.message();
  EXPECT_EQ(report.message(), "");
}

TEST(Gradcheck, SeesAWrongSign) {
  expect_wrong(
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, -1)); }),
      WrongKind::sign, "ratio -1");
}

TEST(Gradcheck, SeesAWrongFactor) {
  expect_wrong(
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, 2)); }),
      WrongKind::factor, "2 times what is right, everywhere");
  expect_wrong(
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, 1.00001)); }),
      WrongKind::factor, "ratio 1.00001");
}

TEST(Gradcheck, SeesAMissingGradient) {
  expect_wrong(check_square([](Gradients&, const Tensor&) {}), WrongKind::no_gradient,
               "backward calls neither g.add(0, ...) nor g.target(0)");
}

TEST(Gradcheck, SeesAGradientThatIsNotANumber) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   Tensor dx = square_gradient(g, x, 1);
                   dx.data()[7] = std::numeric_limits<Scalar>::quiet_NaN();
                   g.add(0, std::move(dx));
                 }),
                 Verdict::not_finite, "input 0 [1, 3] of (3, 4): not finite");
}

TEST(Gradcheck, NamesOpInputElementAndBothValues) {
  const GradcheckReport report = check_square([](Gradients& g, const Tensor& x) {
    Tensor dx = square_gradient(g, x, 1);
    dx.data()[6] = 12.5;
    g.add(0, std::move(dx));
  });
  expect_wrong(report, WrongKind::one_element, "all others are right");
  EXPECT_THAT(report.message(),
              AllOf(StartsWith("square: input 0 [1, 2] of (3, 4): wrong (one element)\n"),
                    HasSubstr("backward     12.5\n"), HasSubstr("differences  "),
                    HasSubstr("1 of 12 elements of this input differ")));
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
  const GradcheckReport report = gradcheck(softmax_without_sum, {random_tensor({3, 4}, 1)});
  expect_wrong(report, WrongKind::term, "12 of 12 elements");
  expect_wrong(report, WrongKind::term, "each row of the gradient should sum to 0");
}

// x ∘ x / Σ_d x², whose derivative is without the sum's.
TEST(Gradcheck, SeesAMissingTermOfANorm) {
  const auto shares = [](Tape& tape, const std::vector<Var>& x) {
    Tape plain(false);
    const Var squares = multiply(plain.constant(x[0].value()), plain.constant(x[0].value()));
    const Tensor sums = sum(squares, 1).value();
    Tensor y = squares.value().copy();
    for (Index i = 0; i < y.size(); ++i) {
      y.data()[i] /= sums.data()[i / 4];
    }
    return tape.record("shares", {x[0]}, y, [x = x[0].value(), sums](Gradients& g) {
      Tensor dx = square_gradient(g, x, 1);
      for (Index i = 0; i < dx.size(); ++i) {
        dx.data()[i] /= sums.data()[i / 4];
      }
      g.add(0, std::move(dx));
    });
  };
  expect_wrong(gradcheck(shares, {random_tensor({3, 4}, 1)}), WrongKind::term,
               "each row of the gradient should be at right angles to the input's");
}

TEST(Gradcheck, SeesWhatDoesNotComeFromTheCotangent) {
  expect_wrong(check_square([](Gradients& g, const Tensor& x) {
                 Tensor dx = square_gradient(g, x, 1);
                 for (Scalar& number : dx.values()) {
                   number += 0.5;
                 }
                 g.add(0, std::move(dx));
               }),
               WrongKind::term, "where dL/dy is 0 the gradient is not");
}

// Each row of x also gets half of the next one's gradient.
TEST(Gradcheck, SeesAGradientThatGoesAstray) {
  expect_wrong(check_square([](Gradients& g, const Tensor& x) {
                 Tensor dx = square_gradient(g, x, 1);
                 for (Index i = 0; i + 4 < dx.size(); ++i) {
                   dx.data()[i] += dx.data()[i + 4] / 2;
                 }
                 g.add(0, std::move(dx));
               }),
               WrongKind::some_rows,
               "only rows 0, 1 are wrong; the output's [1, 0] of (3, 4) sends a gradient to "
               "[0, 0] of (3, 4), which it does not depend on, and 7 more like it");
}

// Row 1 is used twice, and its gradients are written one over the other.
TEST(Gradcheck, SeesARepeatedRowThatIsOverwritten) {
  const auto lookup = [](Tape& tape, const std::vector<Var>& table) {
    constexpr std::array<Index, 3> ids{1, 0, 1};
    Tensor y = Tensor::empty({3, 2});
    for (std::size_t n = 0; n < ids.size(); ++n) {
      std::copy_n(table[0].value().row(ids[n]), 2, y.row(static_cast<Index>(n)));
    }
    return tape.record("lookup", {table[0]}, y, [ids](Gradients& g) {
      Tensor dtable = Tensor::zeros({2, 2});
      for (std::size_t n = 0; n < ids.size(); ++n) {
        std::copy_n(g.output().row(static_cast<Index>(n)), 2, dtable.row(ids[n]));
      }
      g.add(0, std::move(dtable));
    });
  };
  expect_wrong(gradcheck(lookup, {random_tensor({2, 2}, 1)}), WrongKind::some_rows,
               "row 1 has the share of the output's row 2 alone");
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
               WrongKind::transposed, "product: input 1 ");
}

TEST(Gradcheck, SeesAGradientThatOverwritesWhatItShouldAddTo) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   std::ranges::copy(square_gradient(g, x, 1).values(), g.target(0).data);
                 }),
                 Verdict::not_accumulated, "An input used twice would lose one part");
}

TEST(Gradcheck, SeesAnElementThatIsNeverWritten) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   const Tensor gradient = square_gradient(g, x, 1);
                   std::ranges::copy(gradient.values().first(11), g.target(0).data);
                 }),
                 Verdict::not_written, "input 0 [2, 3] of (3, 4)");
}

TEST(Gradcheck, SeesAGradientThatCountsOnWhatMemoryHolds) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   const Tensor gradient = square_gradient(g, x, 1);
                   Scalar* into = g.target(0).data;
                   std::transform(into, into + gradient.size(), gradient.data(), into,
                                  std::plus<>());
                 }),
                 Verdict::not_written, "it adds where `accumulate` is false");
}

TEST(Gradcheck, SeesAForwardThatChangesItsInput) {
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
TEST(Gradcheck, SeesAForwardThatChangesItsInputOnlyOnce) {
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

TEST(Gradcheck, SeesABackwardThatChangesItsInput) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   g.add(0, square_gradient(g, x, 1));
                   Tensor same_memory = x;
                   same_memory.data()[1] += 0.25;
                 }),
                 Verdict::input_overwritten, "the backward pass writes into its input");
}

TEST(Gradcheck, SeesABackwardThatChangesAGradientOthersHold) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   g.add(0, square_gradient(g, x, 1));
                   Tensor same_memory = g.output();
                   same_memory.data()[1] += 0.25;
                 }),
                 Verdict::input_overwritten, "writes into the gradient of its output");
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
  expect_verdict(gradcheck(careless, {random_tensor({3, 4}, 1)}), Verdict::input_overwritten,
                 "the backward pass writes into its output");
}

TEST(Gradcheck, SeesAForwardThatDoesNotRepeatItself) {
  Scalar calls = 0;
  expect_verdict(gradcheck(
                     [&calls](Tape&, const std::vector<Var>& x) {
                       calls += 1;
                       return scale(x[0], calls);
                     },
                     {random_tensor({3, 4}, 1)}),
                 Verdict::nondeterministic, "scale: nondeterministic");
}

TEST(Gradcheck, SeesABackwardThatDoesNotRepeatItself) {
  Scalar calls = 0;
  expect_verdict(check_square([&calls](Gradients& g, const Tensor& x) {
                   calls += 1e-12;
                   g.add(0, square_gradient(g, x, 1 + calls));
                 }),
                 Verdict::nondeterministic, "a second backward pass, on a new tape");
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
               WrongKind::none, "where input 1 needs none");
}

TEST(Gradcheck, SeesAnInputThatIsNotUsed) {
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

TEST(Gradcheck, TellsAKinkFromAMistake) {
  expect_verdict(gradcheck(absolute, {Tensor::of({1}, {0})}), Verdict::kink_nearby,
                 "the slopes to both sides are");
  for (const double x : {1e-5, -1e-5, 3e-4, -0.3}) {  // beside the kink there is a slope
    const GradcheckReport report = gradcheck(absolute, {Tensor::of({1}, {x})});
    EXPECT_TRUE(report.ok()) << report.message();
  }
}

TEST(Gradcheck, TellsTooLittlePrecisionFromAMistake) {
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

// A sum of a softmax is 1 whatever its input is: the cotangent must not be a plain sum.
TEST(Gradcheck, DrawsAnUnevenCotangent) {
  const auto wrong_softmax = [](Tape& tape, const std::vector<Var>& x) {
    Tape plain(false);
    const Tensor y = softmax(plain.constant(x[0].value())).value();
    return tape.record("softmax", {x[0]}, y,
                       [y](Gradients& g) { g.add(0, Tensor::zeros(y.shape())); });
  };
  EXPECT_FALSE(gradcheck(wrong_softmax, {random_tensor({1, 4}, 1)}).ok());
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
          WrongKind::one_element, fmt::format("input {} [{}, {}] of (2, 3)", input, i / 3, i % 3));
    }
  }
}

TEST(Gradcheck, TakesFunctionsOfSeveralOps) {
  EXPECT_GRADCHECK(
      [](const Var& x, const Var& w, const Var& b) {
        return mean(multiply(softmax(add(matmul(x, w), b)), matmul(x, w)));
      },
      random_tensor({3, 4}, 1), random_tensor({4, 5}, 2), random_tensor({5}, 3));
}

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
