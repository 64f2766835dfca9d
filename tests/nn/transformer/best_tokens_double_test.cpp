// The best next tokens compared with the full logits.
#include "nn/transformer/best_tokens.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr TokenId nothing = -1;

std::vector<Scalar> logits_of(const Tensor& hidden, Index row, const Tensor& table,
                              const Tensor& bias) {
  std::vector<Scalar> logits;
  for (Index token = 0; token < table.dim(0); ++token) {
    Scalar sum = bias.has_memory() ? bias.data()[token] : 0;
    for (Index d = 0; d < table.dim(1); ++d) {
      sum += hidden.row(row)[d] * table.row(token)[d];
    }
    logits.push_back(sum);
  }
  return logits;
}

std::vector<TokenId> sorted_tokens(const std::vector<Scalar>& logits, TokenId excluded) {
  std::vector<TokenId> tokens(logits.size());
  std::iota(tokens.begin(), tokens.end(), TokenId{0});
  std::erase(tokens, excluded);
  std::ranges::stable_sort(tokens, std::greater<>(),
                           [&](TokenId token) { return logits[static_cast<std::size_t>(token)]; });
  return tokens;
}

void expect_best(const Tensor& hidden, const Tensor& table, Index count, TokenId excluded,
                 const Tensor& bias = {}) {
  SCOPED_TRACE(fmt::format("hidden {}, table {}, {} tokens without {}", hidden.shape().to_string(),
                           table.shape().to_string(), count, excluded));
  const BestTokens best = best_tokens(hidden, table, bias, count, excluded);
  for (Index row = 0; row < hidden.dim(0); ++row) {
    const std::vector<Scalar> logits = logits_of(hidden, row, table, bias);
    std::vector<TokenId> expected = sorted_tokens(logits, excluded);
    expected.resize(std::min(expected.size(), static_cast<std::size_t>(count)));
    std::vector<TokenId> found;
    for (const auto& [token, logit] : best.of(row)) {
      found.push_back(token);
      EXPECT_NEAR(logit, logits[static_cast<std::size_t>(token)], 1e-12);
    }
    EXPECT_EQ(found, expected) << "row " << row;
    const double sum = std::transform_reduce(logits.begin(), logits.end(), 0.0, std::plus<>(),
                                             [](Scalar x) { return std::exp(x); });
    EXPECT_NEAR(best.log_sums[static_cast<std::size_t>(row)], std::log(sum), 1e-12);
  }
}

// Rows below, at and above a tile of 8 (double precision); tables below a block of 96 tokens, of
// full blocks, and with a remainder.
TEST(BestTokens, are_those_of_the_largest_logits) {
  for (const Index N : {1, 4, 7, 8, 21}) {
    for (const Index V : {1, 5, 96, 192, 301}) {
      const Tensor hidden = random_tensor({N, 7}, 1, -2, 2);
      const Tensor table = random_tensor({V, 7}, 2, -2, 2);
      for (const Index count : {1, 3, 12}) {
        expect_best(hidden, table, count, nothing);
        expect_best(hidden, table, count, nothing, random_tensor({V}, 3, -2, 2));
      }
    }
  }
}

TEST(BestTokens, leave_out_the_excluded_one_and_are_the_same_without_log_sums) {
  const Tensor hidden = random_tensor({9, 7}, 1, -2, 2);
  const Tensor table = random_tensor({150, 7}, 2, -2, 2);
  for (Index row = 0; row < hidden.dim(0); ++row) {
    const TokenId best = best_tokens(hidden, table, {}, 1, nothing).of(row)[0].token;
    expect_best(hidden, table, 4, best);
  }
  expect_best(hidden, random_tensor({3, 7}, 2), 5, 1);
  const BestTokens with = best_tokens(hidden, table, {}, 3, nothing, LogSums::wanted);
  const BestTokens without = best_tokens(hidden, table, {}, 3, nothing, LogSums::left_out);
  EXPECT_TRUE(without.log_sums.empty());
  for (std::size_t i = 0; i < with.tokens.size(); ++i) {
    EXPECT_EQ(without.tokens[i].token, with.tokens[i].token);
  }
}

TEST(BestTokens, of_equal_logits_are_the_lower_ones) {
  const Tensor hidden = Tensor::full({3, 2}, 1);
  Tensor table = Tensor::full({200, 2}, 0.25);
  for (const Index token : {150, 20, 97}) {
    table.row(token)[0] = 0.5;
  }
  expect_best(hidden, table, 5, nothing);
}

// The largest logit grows from block to block by more than an exponential can hold.
TEST(BestTokens, sum_exponentials_of_any_size) {
  const Tensor hidden = Tensor::full({2, 1}, 1);
  Tensor table = Tensor::zeros({300, 1});
  for (Index token = 0; token < 300; ++token) {
    table.row(token)[0] = static_cast<Scalar>(10 * token);
  }
  // The last two logits are 2980 and 2990: Σ exp = exp(2990) (1 + exp(-10) + exp(-20) + ...).
  const double expected = 2990 - std::log1p(-std::exp(-10.0));
  EXPECT_NEAR(best_tokens(hidden, table, {}, 1, nothing).log_sums[1], expected, 1e-12);
}

TEST(BestTokens, refuse_logits_that_are_not_finite) {
  for (const LogSums log_sums : {LogSums::wanted, LogSums::left_out}) {
    for (const Scalar number :
         {std::numeric_limits<Scalar>::quiet_NaN(), std::numeric_limits<Scalar>::infinity()}) {
      Tensor table = random_tensor({120, 3}, 2);
      table.row(100)[1] = number;
      EXPECT_THAT([&] { best_tokens(random_tensor({5, 3}, 1), table, {}, 2, nothing, log_sums); },
                  throws<NumericError>("logits are not finite"));
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
