// Sampling: the allowed tokens, their probabilities, and the token that a random number selects.
#include "nn/generation/generation.hpp"

#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr std::array<TokenId, 1> never_drawn{1};

// The tokens 0, 2, 3 and 4 have probabilities 0.4, 0.3, 0.2 and 0.1. The excluded token 1 has the
// largest logit.
std::vector<double> probabilities_of(const SamplingOptions& options) {
  const std::vector<Scalar> logits{std::log(4.0), 9.0, std::log(3.0), std::log(2.0), 0.0};
  return token_probabilities(logits, options, never_drawn);
}

auto near(const std::vector<double>& expected) { return Pointwise(DoubleNear(1e-15), expected); }

TEST(Sampling, has_the_probabilities_of_the_model_within_limits) {
  EXPECT_THAT(probabilities_of({}), near({0.4, 0, 0.3, 0.2, 0.1}));
  // Squared probabilities: 16 + 9 + 4 + 1 = 30.
  EXPECT_THAT(probabilities_of({.temperature = 0.5}),
              near({16.0 / 30, 0, 9.0 / 30, 4.0 / 30, 1.0 / 30}));
  EXPECT_THAT(probabilities_of({.temperature = 0}), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(probabilities_of({.top_k = 2}), near({4.0 / 7, 0, 3.0 / 7, 0, 0}));
  EXPECT_THAT(probabilities_of({.top_k = 9}), near({0.4, 0, 0.3, 0.2, 0.1}));
  // 0.4 + 0.3 is less than 0.75.
  EXPECT_THAT(probabilities_of({.top_p = 0.75}), near({4.0 / 9, 0, 3.0 / 9, 2.0 / 9, 0}));
  EXPECT_THAT(probabilities_of({.top_p = 1e-9}), near({1, 0, 0, 0, 0}));
  EXPECT_THAT(probabilities_of({.min_p = 0.45}), near({4.0 / 9, 0, 3.0 / 9, 2.0 / 9, 0}));
  // A limit applies to what the one before left: top_k 3 leaves 4/9, 3/9 and 2/9; the first two sum
  // to 7/9.
  EXPECT_THAT(probabilities_of({.top_k = 3, .top_p = 0.77}), near({4.0 / 7, 0, 3.0 / 7, 0, 0}));
  EXPECT_THAT(probabilities_of({.temperature = 0.5, .top_p = 0.8, .min_p = 0.5}),
              near({16.0 / 25, 0, 9.0 / 25, 0, 0}));
}

TEST(Sampling, takes_any_logits_that_are_finite) {
  const std::vector<Scalar> equal{0, 5, 1, 1, 1};  // the first of equally likely tokens
  EXPECT_THAT(token_probabilities(equal, {.top_k = 2}, never_drawn),
              ElementsAre(0, 0, 0.5, 0.5, 0));
  EXPECT_THAT(token_probabilities(equal, {.temperature = 0}, never_drawn),
              ElementsAre(0, 0, 1, 0, 0));
  const std::vector<Scalar> huge{1e8, 0, 1e8, -1e8, 0};
  EXPECT_THAT(token_probabilities(huge, {}, never_drawn), ElementsAre(0.5, 0, 0.5, 0, 0));
  const std::vector<Scalar> none{0, 0, std::numeric_limits<Scalar>::quiet_NaN()};
  EXPECT_THROW(token_probabilities(none, {}, never_drawn), NumericError);
}

TEST(Sampling, draws_the_token_in_whose_interval_a_number_lies) {
  const std::vector<double> probabilities{0, 0.25, 0, 0.5, 0.25, 0};
  EXPECT_EQ(token_at(probabilities, 0), 1);
  EXPECT_EQ(token_at(probabilities, 0.2499), 1);
  EXPECT_EQ(token_at(probabilities, 0.25), 3);
  EXPECT_EQ(token_at(probabilities, 0.75), 4);
  EXPECT_EQ(token_at(probabilities, 1), 4);  // may happen if rounding makes the sum less than 1
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
