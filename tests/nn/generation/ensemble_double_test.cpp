// Ensembles: greedy search, beam search and sampling by the mean of the models' probabilities,
// compared with passes without a cache. Models of both families, equal or different.
#include "nn/generation/ensemble.hpp"

#include <deque>

#include "core/random/draws.hpp"
#include "nn/generation/decoding.hpp"
#include "nn/generation/generation.hpp"
#include "tests/support/generation_cases.hpp"
#include "tests/support/naive_decoding.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

ModelOptions member_options(Family family, Index layers = 1) {
  ModelOptions options = tiny_options();
  options.family = family;
  options.layers = layers;
  options.initializer_gain = 4;  // so that outputs differ by position
  options.max_positions = 20;
  return options;
}

EnsembleMember member_of(const TinyModel& model) {
  return {.transformer = model.transformer, .store = model.store};
}

// Models for the same sources.
struct Members {
  explicit Members(const std::vector<ModelOptions>& options) {
    std::uint64_t seed = 4;
    for (const ModelOptions& one : options) {
      models.emplace_back(one, seed++, tiny_vocabulary + 4).shake(0.05);
      list.push_back(member_of(models.back()));
      prompts.push_back(prompts_of(models.back(), decoding_sources));
    }
  }

  // log(1/K Σ_k p_k), computed directly.
  std::vector<double> next(const Sentence& source, const Sentence& tokens) const {
    std::vector<double> sums(static_cast<std::size_t>(tiny_vocabulary));
    for (const TinyModel& model : models) {
      const std::vector<double> logs = next_log_probabilities(model, source, tokens);
      for (std::size_t token = 0; token < sums.size(); ++token) {
        sums[token] += std::exp(logs[token]);
      }
    }
    for (double& sum : sums) {
      sum = std::log(sum / static_cast<double>(models.size()));
    }
    return sums;
  }

  Index longest(const Sentence& source, const DecodingOptions& options) const {
    Index least = 1000;
    for (const TinyModel& model : models) {
      least = std::min(least, longest_output(model, source, options));
    }
    return least;
  }

  std::deque<TinyModel> models;
  std::vector<EnsembleMember> list;
  std::vector<Prompts> prompts;  // for decoding_sources
};

// Expects the same tokens with nearly the same log-probabilities.
template <class Output>
void expect_same_outputs(const std::vector<Output>& found, const std::vector<Output>& expected,
                         double tolerance = 1e-12) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(found[k].tokens, expected[k].tokens);
    EXPECT_NEAR(found[k].log_probability, expected[k].log_probability, tolerance);
  }
}

const std::vector<std::vector<ModelOptions>> mixtures{
    {member_options(Family::encoder_decoder), member_options(Family::encoder_decoder, 2)},
    {member_options(Family::decoder), member_options(Family::decoder, 2),
     member_options(Family::decoder)},
    {member_options(Family::encoder_decoder), member_options(Family::decoder, 2)}};

class EnsembleOf : public TestWithParam<std::size_t> {
 protected:
  Members members_{mixtures[GetParam()]};
};

INSTANTIATE_TEST_SUITE_P(Mixtures, EnsembleOf, Values(0, 1, 2));

TEST_P(EnsembleOf, models_searches_by_the_mean_of_their_probabilities) {
  for (const Index beam : {1, 2, 5, 12}) {
    const DecodingOptions options{
        .beam = beam, .length_penalty = 0.6, .max_extra_length = 5, .best = beam};
    const auto outputs = decode_batch(members_.list, members_.prompts, options);
    for (std::size_t i = 0; i < decoding_sources.size(); ++i) {
      SCOPED_TRACE(fmt::format("beam {}, source {}", beam, i));
      const Sentence& source = decoding_sources[i];
      const auto expected =
          naive_beam([&](const Sentence& tokens) { return members_.next(source, tokens); },
                     members_.longest(source, options), options);
      expect_same_outputs(outputs[i], expected, 1e-9);
    }
  }
}

TEST_P(EnsembleOf, models_writes_what_none_of_them_writes_and_the_same_without_scores) {
  const auto together = decode_batch(members_.list, members_.prompts, {});
  for (const TinyModel& model : members_.models) {
    const auto alone = decode_together(model, decoding_sources, {});
    EXPECT_FALSE(std::ranges::equal(
        together, alone, [](const auto& a, const auto& b) { return a[0].tokens == b[0].tokens; }));
  }
  const auto unscored = decode_batch(members_.list, members_.prompts, {.scores = false});
  for (std::size_t i = 0; i < together.size(); ++i) {
    EXPECT_EQ(unscored[i][0].tokens, together[i][0].tokens);
    EXPECT_EQ(unscored[i][0].log_probability, 0);
  }
}

TEST_P(EnsembleOf, models_draws_from_the_mean_of_their_probabilities) {
  constexpr std::uint64_t seed = 11;
  const SamplingOptions sampling{.temperature = 1.3, .top_k = 5};
  const std::vector<TokenId> never{begin_mark};
  const auto generated = generate_batch(members_.list, members_.prompts,
                                        {.sampling = sampling,
                                         .samples = 2,
                                         .max_tokens = 8,
                                         .context = 20,
                                         .seed = seed,
                                         .end = -1});
  for (std::size_t i = 0; i < decoding_sources.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      const Draws draws(seed, fmt::format("generate/{}/{}", i, k), 0);
      Sentence tokens;
      for (const TokenId token : generated[i][k].tokens) {
        const auto next = members_.next(decoding_sources[i], tokens);
        const auto probabilities = token_probabilities(next, sampling, never);
        ASSERT_EQ(token, token_at(probabilities, draw_uniform(draws, tokens.size())));
        tokens.push_back(token);
      }
      EXPECT_EQ(tokens.size(), 8U);
    }
  }
}

// The hypotheses are bit-identical, because the mean of equal numbers is exact. The
// log-probabilities of a single model use another order of summation.
TEST_P(EnsembleOf, a_model_with_itself_is_that_model) {
  const TinyModel& model = members_.models.back();
  const std::vector<EnsembleMember> twice(2, member_of(model));
  const Prompts& prompt = members_.prompts.back();
  const std::vector<Prompts> prompts(2, prompt);
  const DecodingOptions options{.beam = 3, .max_extra_length = 6, .best = 3};
  const GenerationOptions sampled{.samples = 3, .max_tokens = 9, .context = 20};
  const auto found = decode_batch(twice, prompts, options);
  const auto alone = decode_together(model, decoding_sources, options);
  const auto drawn = generate_batch(twice, prompts, sampled);
  const auto drawn_alone = generate_batch(model.transformer, model.store, prompt, sampled);
  for (std::size_t i = 0; i < decoding_sources.size(); ++i) {
    expect_same_outputs(found[i], alone[i]);
    expect_same_outputs(drawn[i], drawn_alone[i]);
  }
}

// Whenever the context is full, every model continues from the last tokens alone.
TEST(EnsembleOfDecoders, slides_as_one_model_does) {
  const TinyModel model(decoder_options({.positions = AttentionPositions::rotary}), 3);
  const Prompts prompt = prompts_of(model, {{3, 4, 5}, {6}});
  const GenerationOptions options{
      .samples = 2, .max_tokens = 30, .context = 6, .kept = 3, .end = -1};
  const auto together =
      generate_batch(std::vector(2, member_of(model)), std::vector<Prompts>(2, prompt), options);
  const auto alone = generate_batch(model.transformer, model.store, prompt, options);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_TRUE(together[i][k].slid);
      EXPECT_EQ(together[i][k].tokens, alone[i][k].tokens);
    }
  }
}

TEST(EnsembleOfDecoders, of_different_labels_is_refused) {
  const ModelOptions options = member_options(Family::encoder_decoder);
  const TinyModel one(options);
  ParameterStore store;
  const Transformer other(store.root(), options, tiny_vocabulary, tiny_vocabulary + 1);
  store.initialize(1);
  const std::vector<EnsembleMember> members{member_of(one), {.transformer = other, .store = store}};
  EXPECT_THROW(decode_batch(members, std::vector<Prompts>(2, prompts_of(one, {{3}})), {}),
               ShapeError);
}

// Even weights over the visible keys; only decoder self-attention is causal.
std::optional<HeadAttention> even_weights(const AttentionSite& site, Index, const Segment& queries,
                                          const Segment& keys) {
  Tensor weights = Tensor::zeros({queries.rows, keys.rows});
  for (Index i = 0; i < queries.rows; ++i) {
    const bool back = site.kind == AttentionKind::decoder_self;
    const Index seen = back ? queries.position + i + 1 - keys.position : keys.rows;
    std::fill_n(weights.row(i), seen, 1 / static_cast<Scalar>(seen));
  }
  return HeadAttention{.weights = weights, .scores = weights};
}

// A query of zeros gives even weights.
TEST(EnsembleMember, decodes_and_labels_by_given_weights) {
  for (const Family family : {Family::encoder_decoder, Family::decoder}) {
    const Members same({member_options(family, 2)});
    Members equal({member_options(family, 2)});
    const TinyModel& model = same.models.front();
    TinyModel& without = equal.models.front();
    fill_parameters(without.store, "query.weight", 0);
    fill_parameters(without.store, "query.bias", 0);
    std::vector<EnsembleMember> given = same.list;
    const std::vector<Prompts>& prompts = same.prompts;
    const DecodingOptions options{.beam = 2, .max_extra_length = 6};
    const auto own = decode_batch(given, prompts, options);
    given.front().substitute = even_weights;
    const auto found = decode_batch(given, prompts, options);
    const auto expected = decode_batch(equal.list, prompts, options);
    for (std::size_t i = 0; i < found.size(); ++i) {
      expect_same_outputs(found[i], expected[i]);
    }
    EXPECT_GT(std::abs(found[0].front().log_probability - own[0].front().log_probability), 1e-3);
    Batch batch{
        .context = prompts[0].context, .input = prompts[0].input, .labels = {}, .examples = {}};
    const BestTokens labels =
        best_labels(model.transformer, model.store, batch, 1, LogSums::wanted, even_weights);
    const BestTokens labels_without = best_labels(without.transformer, without.store, batch, 1);
    EXPECT_THAT(labels.log_sums,
                AllOf(Not(IsEmpty()), Pointwise(DoubleNear(1e-12), labels_without.log_sums)));
  }
}

// The mean of the probabilities (1/2, 1/4, 1/4) and (1/8, 1/8, 3/4); the second has large logits.
TEST(MeanProbabilities, are_the_mean_in_logarithms) {
  const Tensor one = Tensor::of({1, 3}, {std::log(2.0), 0, 0});
  const Tensor other = Tensor::of({1, 3}, {900.0, 900.0, 900.0 + std::log(6.0)});
  const Tensor mean = mean_log_probabilities(std::vector{one, other});
  EXPECT_THAT(mean.values(), Pointwise(DoubleNear(1e-12), {std::log(5.0 / 16), std::log(3.0 / 16),
                                                           std::log(8.0 / 16)}));
  const BestTokens best = best_of(mean, 2, 2, LogSums::wanted);
  EXPECT_EQ(best.count, 2);
  EXPECT_EQ(best.tokens[0].token, 0);
  EXPECT_EQ(best.tokens[1].token, 1);
  EXPECT_THAT(best.log_sums, ElementsAre(0.0));
  // e^-800 underflows to 0, and so would the mean; that of equal numbers is exact.
  EXPECT_EQ(log_mean_exp(std::vector{-800.0, -800.0, -800.0}), -800.0);
  EXPECT_NEAR(log_mean_exp(std::vector{-800.0, -900.0}), -800 - std::log(2.0), 1e-12);
  EXPECT_THROW(log_sum_exp(std::vector<Scalar>{1, NAN}), NumericError);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
