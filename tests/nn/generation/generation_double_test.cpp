// Generation with a cache and in batches equals drawing from recomputed probabilities token for
// token, with every position scheme and every pattern, and follows the model's distribution.
#include "nn/generation/generation.hpp"

#include "core/random/draws.hpp"
#include "tests/support/generation_cases.hpp"
#include "tests/support/naive_decoding.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double closeness = 1e-12;
constexpr std::uint64_t draw_seed = 11;
constexpr std::array never{begin_mark};

const std::vector<Sentence>& prompts = decoding_sources;

Draws draws_of(Index prompt, Index sample) {
  return {draw_seed, fmt::format("generate/{}/{}", prompt, sample), 0};
}

std::vector<std::vector<Generated>> generate(const TinyModel& model,
                                             const std::vector<Sentence>& from,
                                             GenerationOptions options, Index first = 0) {
  options.seed = draw_seed;
  options.first_prompt = first;
  return generate_batch(model.transformer, model.store, prompts_of(model, from), options);
}

// Expects each token to be the one drawn from the probabilities of a full pass, and the
// log-probability to be the model's own, whatever the sampling options.
void expect_recomputed(const TinyModel& model, const Sentence& prompt, const Draws& draws,
                       const Generated& generated, const GenerationOptions& options) {
  Sentence tokens;
  double log_probability = 0;
  const bool ended = generated.end == GenerationEnd::mark;
  for (std::size_t i = 0; i < generated.tokens.size() + (ended ? 1 : 0); ++i) {
    const std::vector<double> next = next_log_probabilities(model, prompt, tokens);
    const std::vector<Scalar> logits(next.begin(), next.end());
    const auto probabilities = token_probabilities(logits, options.sampling, never);
    const TokenId expected = i < generated.tokens.size() ? generated.tokens[i] : end_mark;
    ASSERT_EQ(token_at(probabilities, draw_uniform(draws, i)), expected) << "token " << i;
    log_probability += next[static_cast<std::size_t>(expected)];
    tokens.push_back(expected);
  }
  EXPECT_NEAR(generated.log_probability, log_probability,
              closeness * static_cast<double>(tokens.size() + 1) *
                  std::max(1.0, std::abs(log_probability)));
}

class Generation : public TestWithParam<GenerationScheme> {
 protected:
  Generation() : model_(decoder_options(GetParam()), 3) {}

  TinyModel model_;
};

INSTANTIATE_TEST_SUITE_P(Schemes, Generation, ValuesIn(generation_schemes()));

TEST_P(Generation, equals_recomputation) {
  for (const bool shaken : {false, true}) {  // untrained and shaken weights
    if (shaken) {
      model_.shake(0.05);
    }
    const GenerationOptions options{.samples = 3, .max_tokens = 12, .context = 24};
    const auto generated = generate(model_, prompts, options);
    ASSERT_EQ(generated.size(), prompts.size());
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      ASSERT_EQ(generated[i].size(), 3U);
      for (std::size_t k = 0; k < 3; ++k) {
        SCOPED_TRACE(Message() << "prompt " << i << ", sample " << k);
        expect_recomputed(model_, prompts[i],
                          draws_of(static_cast<Index>(i), static_cast<Index>(k)), generated[i][k],
                          options);
      }
    }
  }
}

TEST_P(Generation, has_the_log_probability_of_the_model_with_every_limit) {
  for (const SamplingOptions& sampling :
       {SamplingOptions{.temperature = 0}, SamplingOptions{.temperature = 0.5},
        SamplingOptions{.top_k = 2, .top_p = 0.9, .min_p = 0.1}}) {
    const GenerationOptions options{.sampling = sampling, .max_tokens = 12, .context = 24};
    const auto generated = generate(model_, prompts, options);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      SCOPED_TRACE(Message() << "prompt " << i << ", T " << sampling.temperature);
      expect_recomputed(model_, prompts[i], draws_of(static_cast<Index>(i), 0), generated[i][0],
                        options);
    }
  }
}

TEST_P(Generation, has_the_same_bits_alone) {
  const GenerationOptions options{.samples = 2, .max_tokens = 10, .context = 24};
  const auto together = generate(model_, prompts, options);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const auto alone = generate(model_, {prompts[i]}, options, static_cast<Index>(i));
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(alone[0][k].tokens, together[i][k].tokens);
      EXPECT_EQ(alone[0][k].log_probability, together[i][k].log_probability);
    }
  }
}

class GenerationOf : public Test {
 protected:
  GenerationOf() : model_(decoder_options({.positions = AttentionPositions::rotary}), 3) {}

  TinyModel model_;
};

// After sliding, a sequence reads its last tokens from position 0. The prompt's begin mark is no
// longer among them.
TEST_F(GenerationOf, a_long_text_goes_on_from_its_last_tokens) {
  const GenerationOptions options{
      .max_tokens = 30, .context = 6, .kept = 3, .seed = draw_seed, .end = -1};
  Tokens read{.ids = {begin_mark, 3, 4, 5}, .segments = segments_of({4})};
  Prompts prompt{.context = {.ids = {}, .segments = segments_of({0})}, .input = read};
  const Generated generated =
      generate_batch(model_.transformer, model_.store, prompt, options)[0][0];
  EXPECT_TRUE(generated.slid);
  ASSERT_EQ(generated.tokens.size(), 30U);
  Sentence visible{begin_mark, 3, 4, 5};
  for (std::size_t i = 0; i < generated.tokens.size(); ++i) {
    if (visible.size() > 6) {
      visible.erase(visible.begin(), visible.end() - 3);
    }
    Tape tape(false);
    Pass pass(tape, model_.store);
    Tokens tokens{.ids = {visible.begin(), visible.end()},
                  .segments = segments_of({std::ssize(visible)})};
    const Tensor logits =
        model_.transformer.logits(pass, model_.transformer.main()(pass, tokens)).value();
    const std::span<const Scalar> last(logits.row(logits.dim(0) - 1),
                                       static_cast<std::size_t>(logits.dim(1)));
    ASSERT_EQ(token_at(token_probabilities(last, {}, never), draw_uniform(draws_of(0, 0), i)),
              generated.tokens[i]);
    visible.push_back(generated.tokens[i]);
  }
}

TEST_F(GenerationOf, a_text_that_cannot_slide_ends_with_the_context) {
  const Generated generated =
      generate(model_, {{3, 4}}, {.max_tokens = 30, .context = 6, .end = -1})[0][0];
  EXPECT_EQ(generated.end, GenerationEnd::context);
  EXPECT_EQ(generated.tokens.size(), 4U);  // reads two tokens and the begin mark, then three;
                                           // the last token is not read
}

TEST_F(GenerationOf, a_text_ends_when_its_caller_says_so) {
  const auto generated = generate_batch(
      model_.transformer, model_.store, prompts_of(model_, prompts),
      {.samples = 2, .max_tokens = 9, .context = 24, .end = -1},
      [](Index prompt, Index sample, TokenId) { return prompt != 1 || sample != 1; });
  EXPECT_EQ(generated[1][1].end, GenerationEnd::caller);
  EXPECT_EQ(generated[1][1].tokens.size(), 1U);
  EXPECT_EQ(generated[1][0].tokens.size(), 9U);
}

// Pearson's statistic of the first two tokens of many samples against the model's probabilities.
// Pairs expected fewer than five times are pooled. Chance exceeds the bound once in a million times
// (approximation of Wilson and Hilferty 1931).
void expect_distribution(const TinyModel& model, const SamplingOptions& sampling) {
  constexpr Index samples = 20000;
  const Sentence prompt{3, 7};
  const auto generated = generate(
      model, {prompt},
      {.sampling = sampling, .samples = samples, .max_tokens = 2, .context = 24, .end = -1});
  std::map<Sentence, double> observed;
  for (const Generated& one : generated[0]) {
    observed[one.tokens] += 1;
  }
  const auto next = [&](const Sentence& tokens) {
    const std::vector<double> logs = next_log_probabilities(model, prompt, tokens);
    return token_probabilities(std::vector<Scalar>(logs.begin(), logs.end()), sampling, never);
  };
  double statistic = 0;
  double freedom = -1;
  double few_expected = 0;
  double few_observed = 0;
  const auto add = [&](double expected, double seen) {
    statistic += (seen - expected) * (seen - expected) / expected;
    freedom += 1;
  };
  const std::vector<double> first = next({});
  for (TokenId a = 0; a < tiny_vocabulary; ++a) {
    const std::vector<double> second = next({a});
    for (TokenId b = 0; b < tiny_vocabulary; ++b) {
      const double expected = static_cast<double>(samples) * first[static_cast<std::size_t>(a)] *
                              second[static_cast<std::size_t>(b)];
      const double seen = observed[{a, b}];
      if (expected == 0) {
        EXPECT_EQ(seen, 0);
      } else if (expected < 5) {
        few_expected += expected;
        few_observed += seen;
      } else {
        add(expected, seen);
      }
    }
  }
  if (few_expected > 0) {
    add(few_expected, few_observed);
  }
  constexpr double once_in_a_million = 4.7534;  // quantile of the normal distribution
  const double root = 2 / (9 * freedom);
  ASSERT_GE(freedom, 3);
  EXPECT_LT(statistic, freedom * std::pow(1 - root + once_in_a_million * std::sqrt(root), 3))
      << freedom << " degrees of freedom";
}

TEST(GenerationOfSamples, has_the_distribution_of_the_model) {
  ModelOptions options = decoder_options({.positions = AttentionPositions::rotary});
  options.initializer_gain = 1;  // so that many tokens are likely
  const TinyModel model(options, 3);
  expect_distribution(model, {});
  expect_distribution(model, {.temperature = 0.7});
  expect_distribution(model, {.top_k = 4});
  expect_distribution(model, {.top_p = 0.8});
  expect_distribution(model, {.min_p = 0.2});
  expect_distribution(model, {.temperature = 1.5, .top_k = 6, .top_p = 0.9, .min_p = 0.1});
}

// Models with an encoder too.
TEST(GenerationWithAnEncoder, equals_recomputation) {
  ModelOptions options = tiny_options();
  options.initializer_gain = 3;
  const TinyModel model(options, 4);
  const GenerationOptions sampled{.samples = 2, .max_tokens = 8, .context = 16};
  const auto generated = generate(model, prompts, sampled);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      expect_recomputed(model, prompts[i], draws_of(static_cast<Index>(i), static_cast<Index>(k)),
                        generated[i][k], sampled);
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
