// Softmax, its logarithm and cross-entropy: gradients by differences, values at extremes. (Values:
// reference_cases.hpp.)
#include "core/ops/softmax.hpp"

#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "tests/support/plain.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(Softmax, gradients) {
  for (const auto& op : {softmax, log_softmax}) {
    // Full vectors and remainders, one column, one row, nothing.
    for (const Shape& shape : {Shape{3, 19}, Shape{2, 16}, Shape{5, 2}, Shape{4, 1}, Shape{1, 5},
                               Shape{0, 3}, Shape{3, 0}}) {
      SCOPED_TRACE(shape.to_string());
      EXPECT_GRADCHECK(op, random_tensor(shape, 1, -2, 2));
    }
    EXPECT_GRADCHECK([op](const Var& x) { return multiply(op(x), op(scale(x, 2))); },
                     random_tensor({3, 5}, 1));
  }
}

// exp(1000) is infinite and exp(-1000) is 0: only distances from the row's largest number count.
TEST(Softmax, does_not_overflow) {
  Tape tape(false);
  const Var x = tape.constant(Tensor::of({2, 3}, {1000, 1000, -1000, -1000, -1000, -1000}));
  const auto third = DoubleNear(1.0 / 3, 1e-15);
  EXPECT_THAT(softmax(x).value().values(), ElementsAre(0.5, 0.5, 0, third, third, third));
  const double log_half = -std::log(2.0);
  const auto log_third = DoubleNear(-std::log(3.0), 1e-12);
  EXPECT_THAT(log_softmax(x).value().values(),
              ElementsAre(log_half, log_half, -2000 + log_half, log_third, log_third, log_third));
}

TEST(Softmax, and_its_logarithm_equal_plain_loops_and_each_other) {
  const Tensor x = random_tensor({4, 21}, 1, -3, 3);
  const std::vector<Tensor> y = value_and_gradients(softmax, x);
  for (Index i = 0; i < x.dim(0); ++i) {
    const double sum = std::accumulate(
        x.row(i), x.row(i + 1), 0.0, [](double before, double a) { return before + std::exp(a); });
    for (Index j = 0; j < x.dim(1); ++j) {
      EXPECT_NEAR(y[0].row(i)[j], std::exp(x.row(i)[j]) / sum, 1e-15) << i << ", " << j;
    }
  }
  const std::vector<Tensor> fused = value_and_gradients(log_softmax, x);
  const std::vector<Tensor> plain =
      value_and_gradients([](const Var& v) { return log(softmax(v)); }, x);
  for (const std::size_t k : {0U, 1U}) {  // the value, and the gradient of x
    EXPECT_THAT(fused[k].values(), Pointwise(DoubleNear(1e-14), plain[k].values()));
  }
}

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
  EXPECT_GRADCHECK(  // the same Var given twice
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
  const Tensor numbers = random_tensor({4, 19}, 1);
  expect_equals_plain(handed_over, kept, numbers);
  EXPECT_THAT(value_and_gradients(handed_over, numbers)[1].values(),
              Pointwise(DoubleNear(1e-14), value_and_gradients(kept, numbers)[1].values()));
  for (const bool recording : {true, false}) {
    Tape tape(recording);
    const Var logits = scale(tape.variable(numbers.copy()), 1);
    const Var loss = cross_entropy(logits, targets, GetParam()).loss;
    EXPECT_THAT(logits.value().values(), ElementsAreArray(numbers.values())) << "these are kept";
    tape.backward(loss);
    EXPECT_THAT(logits.value().values(), ElementsAreArray(numbers.values())) << "also after it";
  }
}

TEST_P(CrossEntropyLoss, of_no_rows_is_zero) {
  const auto call = [](const Var& logits) { return cross_entropy(logits, {}, GetParam()).loss; };
  EXPECT_GRADCHECK(call, random_tensor({0, 5}, 1));
  EXPECT_THAT(value_and_gradients(call, random_tensor({0, 5}, 1))[0].values(), Each(0));
}

// exp(2000) is infinite: the loss must be the distance 2000, with the gradients 1 and -1.
TEST_P(CrossEntropyLoss, does_not_overflow) {
  const double share = 1 - GetParam() / 2;
  Tape tape;
  const Var logits = tape.variable(Tensor::of({1, 2}, {1000, -1000}));
  const CrossEntropy result = cross_entropy(logits, std::vector<TokenId>{1}, GetParam());
  EXPECT_NEAR(result.negative_log_likelihood, 2000, 1e-9);
  EXPECT_NEAR(result.loss.value().data()[0], 2000 * share, 1e-9);
  tape.backward(result.loss);
  EXPECT_THAT(tape.gradient(logits).values(),
              ElementsAre(DoubleNear(share, 1e-12), DoubleNear(-share, 1e-12)));
}

// The likelihood does not depend on label smoothing.
TEST_P(CrossEntropyLoss, counts_correct_rows_and_their_likelihood) {
  Tape tape(false);
  const Tensor x = random_tensor({4, 5}, 1, -3, 3);
  const CrossEntropy result = cross_entropy(tape.constant(x), targets, GetParam());
  const Tensor logarithms = log_softmax(tape.constant(x)).value();
  double likelihood = 0;
  Index correct = 0;
  ASSERT_EQ(result.by_row.size(), 4U);
  for (std::size_t n = 0; n < 4; ++n) {
    const Scalar* row = x.row(static_cast<Index>(n));
    const double of_row = -logarithms.row(static_cast<Index>(n))[targets[n]];
    EXPECT_NEAR(result.by_row[n], of_row, 1e-12);
    likelihood += of_row;
    correct += std::max_element(row, row + 5) - row == targets[n] ? 1 : 0;
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

}}}  // namespace tapehead::TAPEHEAD_PRECISION
