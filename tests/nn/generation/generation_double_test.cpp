// Generation with a cache and in batches equals drawing from recomputed probabilities token for
// token, with every position scheme and every pattern.
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

// Expects each sample of each prompt to be the recomputed one.
void expect_all_recomputed(const TinyModel& model, const GenerationOptions& options) {
  const auto generated = generate(model, prompts, options);
  ASSERT_EQ(generated.size(), prompts.size());
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    ASSERT_EQ(std::ssize(generated[i]), options.samples);
    for (std::size_t k = 0; k < generated[i].size(); ++k) {
      SCOPED_TRACE(Message() << "prompt " << i << ", sample " << k << ", T "
                             << options.sampling.temperature);
      expect_recomputed(model, prompts[i], draws_of(static_cast<Index>(i), static_cast<Index>(k)),
                        generated[i][k], options);
    }
  }
}

// With untrained and shaken weights, with every limit, and alone.
TEST(Generation, equals_recomputation_in_any_batch) {
  for (const GenerationScheme& scheme : generation_schemes()) {
    SCOPED_TRACE(scheme);
    TinyModel model(decoder_options(scheme), 3);
    const GenerationOptions all{.samples = 3, .max_tokens = 12, .context = 24};
    expect_all_recomputed(model, all);
    for (const SamplingOptions& sampling :
         {SamplingOptions{.temperature = 0}, SamplingOptions{.temperature = 0.5},
          SamplingOptions{.top_k = 2, .top_p = 0.9, .min_p = 0.1},
          SamplingOptions{.temperature = 1.5, .top_k = 6}, SamplingOptions{.top_p = 0.8}}) {
      expect_all_recomputed(model, {.sampling = sampling, .max_tokens = 12, .context = 24});
    }
    const auto together = generate(model, prompts, all);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const auto alone = generate(model, {prompts[i]}, all, static_cast<Index>(i));
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(alone[0][k].tokens, together[i][k].tokens);
        EXPECT_EQ(alone[0][k].log_probability, together[i][k].log_probability) << "to the bit";
      }
    }
    model.shake(0.05);
    expect_all_recomputed(model, all);
  }
}

TEST(GenerationWithAnEncoder, equals_recomputation) {
  ModelOptions options = tiny_options();
  options.initializer_gain = 3;
  expect_all_recomputed(TinyModel(options, 4), {.samples = 2, .max_tokens = 8, .context = 16});
}

class GenerationOf : public Test {
 protected:
  TinyModel model_{decoder_options({.positions = AttentionPositions::rotary}), 3};
};

// After sliding, a sequence reads its last tokens from position 0. The prompt's begin mark is no
// longer among them.
TEST_F(GenerationOf, a_long_text_goes_on_from_its_last_tokens) {
  const GenerationOptions options{
      .max_tokens = 30, .context = 6, .kept = 3, .seed = draw_seed, .end = -1};
  Sentence visible{begin_mark, 3, 4, 5};
  const Prompts prompt{.context = {.ids = {}, .segments = segments_of({0})},
                       .input = {.ids = {begin_mark, 3, 4, 5}, .segments = segments_of({4})}};
  const Generated generated =
      generate_batch(model_.transformer, model_.store, prompt, options)[0][0];
  EXPECT_TRUE(generated.slid);
  ASSERT_EQ(generated.tokens.size(), 30U);
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

TEST_F(GenerationOf, a_text_that_cannot_slide_ends_with_the_context_or_when_its_caller_says_so) {
  const Generated generated =
      generate(model_, {{3, 4}}, {.max_tokens = 30, .context = 6, .end = -1})[0][0];
  EXPECT_EQ(generated.end, GenerationEnd::context);
  EXPECT_EQ(generated.tokens.size(), 4U);  // reads two tokens and the begin mark, then three;
                                           // the last token is not read
  const auto stopped = generate_batch(
      model_.transformer, model_.store, prompts_of(model_, prompts),
      {.samples = 2, .max_tokens = 9, .context = 24, .end = -1},
      [](Index prompt, Index sample, TokenId) { return prompt != 1 || sample != 1; });
  EXPECT_EQ(stopped[1][1].end, GenerationEnd::caller);
  EXPECT_EQ(stopped[1][1].tokens.size(), 1U);
  EXPECT_EQ(stopped[1][0].tokens.size(), 9U);
}

// How many groups contain each sample of each prompt.
std::map<std::pair<Index, Index>, int> counts_of(const std::vector<GenerationGroup>& groups) {
  std::map<std::pair<Index, Index>, int> counts;
  for (const GenerationGroup& group : groups) {
    for (Index prompt = group.prompt; prompt < group.prompt + group.prompts; ++prompt) {
      for (Index sample = group.sample; sample < group.sample + group.samples; ++sample) {
        ++counts[{prompt, sample}];
      }
    }
  }
  return counts;
}

TEST(GenerationGroups, every_sample_is_in_one_of_them) {
  for (const Index threads : {1, 2, 3, 8}) {
    for (const Index sentences : {1, 2, 5, 40}) {
      for (const Index samples : {1, 3, 16, 33}) {
        for (const Index beam : {0, 33}) {
          const auto counts =
              counts_of(generation_groups(sentences, samples, threads, most_together, beam));
          EXPECT_EQ(std::ssize(counts), sentences * samples);
          for (const auto& [sample, count] : counts) {
            EXPECT_EQ(count, 1) << sample.first << " " << sample.second << ", " << threads;
          }
        }
      }
    }
  }
}

TEST(GenerationGroups, few_samples_are_shared_out) {
  EXPECT_EQ(generation_groups(16, 1, 2).size(), 2U);
  EXPECT_EQ(generation_groups(1, 16, 2).size(), 2U);
  EXPECT_EQ(generation_groups(1, 1, 2).size(), 1U);
  EXPECT_EQ(generation_groups(4, 1, 4).size(), 4U) << "one for each thread";
  EXPECT_EQ(generation_groups(2, 1, 2, most_together, 5).size(), 2U);
  // One search finds all five.
  EXPECT_EQ(generation_groups(1, 5, 2, most_together, 5).size(), 1U);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
