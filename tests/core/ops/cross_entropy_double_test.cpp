// Cross-entropy: gradients by differences, values and gradients against log_softmax.

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/softmax.hpp"
#include "tests/support/plain.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

const std::vector<TokenId> targets{2, 0, 2, 4};

class CrossEntropyLoss : public TestWithParam<double> {};

INSTANTIATE_TEST_SUITE_P(Smoothing, CrossEntropyLoss, Values(0.0, 0.1),
                         [](const auto& test) { return test.param == 0 ? "none" : "some"; });

TEST_P(CrossEntropyLoss, gradients) {
  for (const Index V : {5, 8, 19}) {
    EXPECT_GRADCHECK(
        [](const Var& logits) { return cross_entropy(logits, targets, GetParam()).loss; },
        random_tensor({4, V}, 1, -2, 2));
  }
}

TEST_P(CrossEntropyLoss, gradients_of_the_same_var_twice) {
  EXPECT_GRADCHECK(
      [](const Var& logits) {
        const Var first = cross_entropy(logits, targets, GetParam()).loss;
        return add(cross_entropy(scale(logits, 2), targets, GetParam()).loss,
                   add(first, cross_entropy(logits, targets, GetParam()).loss));
      },
      random_tensor({4, 5}, 1));
}

TEST_P(CrossEntropyLoss, takes_over_logits_that_nobody_keeps) {
  const auto kept = [](const Var& x) {
    const Var logits = scale(x, 2);
    return cross_entropy(logits, targets, GetParam()).loss;
  };
  const auto handed_over = [](const Var& x) {
    return cross_entropy(scale(x, 2), targets, GetParam()).loss;
  };
  expect_equals_plain(handed_over, kept, random_tensor({4, 19}, 1));
}

TEST_P(CrossEntropyLoss, leaves_logits_that_are_kept_as_they_are) {
  const Tensor numbers = random_tensor({4, 19}, 1);
  for (const bool recording : {true, false}) {
    Tape tape(recording);
    const Var logits = scale(tape.variable(numbers.copy()), 1);
    cross_entropy(logits, targets, GetParam());
    EXPECT_THAT(logits.value().values(), ElementsAreArray(numbers.values()));
  }
}

TEST_P(CrossEntropyLoss, of_no_rows_is_zero) {
  const auto call = [](const Var& logits) { return cross_entropy(logits, {}, GetParam()).loss; };
  EXPECT_GRADCHECK(call, random_tensor({0, 5}, 1));
  EXPECT_THAT(value_and_gradients(call, random_tensor({0, 5}, 1))[0].values(), Each(0));
}

// exp(2000) is infinite: the loss must be the distance 2000, with the gradients 1 and -1.
TEST_P(CrossEntropyLoss, does_not_overflow) {
  const std::vector<TokenId> second{1};
  Tape tape;
  const Var logits = tape.variable(Tensor::of({1, 2}, {1000, -1000}));
  const CrossEntropy result = cross_entropy(logits, second, GetParam());
  EXPECT_NEAR(result.negative_log_likelihood, 2000, 1e-9);
  EXPECT_NEAR(result.loss.value().data()[0], 2000 * (1 - GetParam() / 2), 1e-9);
  tape.backward(result.loss);
  EXPECT_THAT(tape.gradient(logits).values(),
              ElementsAreArray(
                  {DoubleNear(1 - GetParam() / 2, 1e-12), DoubleNear(GetParam() / 2 - 1, 1e-12)}));
}

// The likelihood does not depend on label smoothing.
TEST_P(CrossEntropyLoss, counts_correct_rows_and_their_likelihood) {
  Tape tape(false);
  const Tensor x = random_tensor({4, 5}, 1, -3, 3);
  const Var logits = tape.constant(x);
  const CrossEntropy result = cross_entropy(logits, targets, GetParam());
  const Tensor logarithms = log_softmax(logits).value();
  double likelihood = 0;
  Index correct = 0;
  ASSERT_EQ(result.by_row.size(), 4U);
  for (Index n = 0; n < 4; ++n) {
    const Scalar* row = x.row(n);
    const double of_row = -logarithms.row(n)[targets[static_cast<std::size_t>(n)]];
    EXPECT_NEAR(result.by_row[static_cast<std::size_t>(n)], of_row, 1e-12);
    likelihood += of_row;
    correct += std::max_element(row, row + 5) - row == targets[static_cast<std::size_t>(n)] ? 1 : 0;
  }
  EXPECT_NEAR(result.negative_log_likelihood, likelihood, 1e-12);
  EXPECT_EQ(result.correct, correct);
}

TEST(CrossEntropyCorrect, is_the_first_of_equals) {
  Tape tape(false);
  const Var logits = tape.constant(Tensor::of({2, 3}, {1, 5, 5, 5, 2, 5}));
  EXPECT_EQ(cross_entropy(logits, std::vector<TokenId>{1, 0}).correct, 2);
  EXPECT_EQ(cross_entropy(logits, std::vector<TokenId>{2, 2}).correct, 0);
  EXPECT_EQ(cross_entropy(logits, std::vector<TokenId>{0, 1}).correct, 0);
}

// The gradient reuses the memory of the logits only if nothing else holds them.
TEST(CrossEntropyMemory, of_logits_that_are_held_is_not_overwritten) {
  const Tensor x = random_tensor({4, 3}, 1);
  const Tensor weight = random_tensor({5, 3}, 2);
  Tape tape;
  const Var held_weight = tape.variable(weight);
  const Var logits = linear(tape.variable(x), held_weight);
  const Tensor before = logits.value().copy();
  tape.backward(cross_entropy(logits, targets).loss);
  EXPECT_THAT(logits.value().values(), ElementsAreArray(before.values()));

  Tape other;
  const Var free_weight = other.variable(weight);
  other.backward(cross_entropy(linear(other.variable(x), free_weight), targets).loss);
  EXPECT_THAT(other.gradient(free_weight).values(),
              Pointwise(DoubleNear(1e-14), tape.gradient(held_weight).values()));
}

TEST(CrossEntropyErrors, name_the_op_and_both_shapes) {
  Tape tape;
  const Var logits = tape.variable(random_tensor({3, 5}, 1));
  const auto says = [](const char* message, const char* more) {
    return ThrowsMessage<ShapeError>(AllOf(HasSubstr(message), HasSubstr(more)));
  };
  EXPECT_THAT([&] { cross_entropy(logits, targets); },
              says("cross_entropy.logits for 4 targets", "expected (4, 5), got (3, 5)"));
  EXPECT_THAT([&] { cross_entropy(logits, std::vector<TokenId>{0, 5, 1}); },
              says("cross_entropy.targets: 5", "one of the 5 logits"));
  EXPECT_THAT([&] { cross_entropy(logits, std::vector<TokenId>{0, -1, 1}); },
              says("cross_entropy.targets: -1", "one of the 5 logits"));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
