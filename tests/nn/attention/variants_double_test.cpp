// Variants of attention: parameters, gradients and caches of random option combinations, and
// weights that several attentions share.
#include "nn/attention/spec.hpp"
#include "tests/nn/model_gradients.hpp"
#include "tests/support/attention_parameters.hpp"
#include "tests/support/naive_decoding.hpp"
#include "tests/support/random_attention.hpp"
#include "tests/support/stack_batches.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(AttentionVariants, have_the_parameters_of_the_closed_form) {
  RandomAttention random(1);
  for (int i = 0; i < 200; ++i) {
    const ModelOptions options = random.next();
    for (const AttentionKind kind : attention_kinds) {
      const AttentionSpec spec = attention_spec(options, kind, 0);
      ParameterStore store;
      const AttentionWeights weights(store.root(), options, spec);
      EXPECT_EQ(store.count(), attention_parameters(spec));
    }
  }
}

TEST(AttentionVariants, have_their_gradients) {
  RandomAttention random(2);
  for (int i = 0; i < 24; ++i) {
    ModelOptions options = random.next();
    options.layers = 1;
    SCOPED_TRACE(fmt::format("composition {}", i));
    expect_gradients(options, tiny_batch());
  }
}

// Resolved options have the same meaning: resolving loses no setting.
TEST(AttentionVariants, resolve_to_themselves) {
  RandomAttention random(4);
  for (int i = 0; i < 200; ++i) {
    const ModelOptions options = random.next();
    ModelOptions resolved = options;
    resolve_attention(resolved);
    resolved.attention = {};  // the options per kind suffice
    for (const AttentionKind kind : attention_kinds) {
      EXPECT_EQ(attention_spec(resolved, kind, 1), attention_spec(options, kind, 1));
    }
  }
}

// Decoding token by token with the cache equals one pass over all tokens.
void expect_same_with_cache(const ModelOptions& options) {
  TinyModel model(options);
  model.shake(0.2);
  const Batch batch = batch_of({{3, 4, 5, 6}, {7, 8}}, {{5, 4, 3, 6, 7}, {8, 8, 3, 4, 5}});
  Tape tape(false);
  Pass pass(tape, model.store);
  const Transformer& transformer = model.transformer;
  const Var whole = transformer.hidden(pass, batch);
  const SequenceRows context{.rows = transformer.encode(pass, batch.context),
                             .segments = batch.context.segments};
  const Index rows = batch.input.segments[0].rows;
  KeyValueCache cache = transformer.main().make_cache(2, rows);
  const std::vector<Index> slots{1, 0};
  for (Index t = 0; t < rows; ++t) {
    const Tokens fresh{.ids = {batch.input.ids[static_cast<std::size_t>(t)],
                               batch.input.ids[static_cast<std::size_t>(rows + t)]},
                       .segments = {.list = {{0, 1, t}, {1, 1, t}}, .first_row = 0}};
    cache.extend(slots, fresh.segments);
    const Var step = transformer.main()(pass, fresh, &context, &cache);
    for (Index sentence = 0; sentence < 2; ++sentence) {
      const auto width = static_cast<std::size_t>(whole.shape()[1]);
      EXPECT_THAT(
          std::span(step.value().row(sentence), width),
          Pointwise(DoubleNear(1e-12), std::span(whole.value().row(sentence * rows + t), width)));
    }
  }
}

TEST(AttentionVariants, give_the_same_with_the_cache) {
  RandomAttention random(3);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(fmt::format("composition {}", i));
    expect_same_with_cache(random.next());
  }
  // Tied heads have equal keys unless their scores differ; their values are always equal.
  ModelOptions options = tiny_options();
  options.decoder_self.head_weights.values = {HeadWeights::tied};
  options.decoder_self.score.values = {{{Score::dot, Score::cosine}}};
  expect_same_with_cache(options);
}

TEST(AttentionSharing, one_name_is_one_set_of_weights) {
  ModelOptions options = tiny_options();
  options.layers = 2;
  options.encoder_self.shared_as.values = {"both"};
  const TinyModel model(options);
  Index shared = 0;
  for (const NamedParameter& parameter : model.store.parameters()) {
    EXPECT_FALSE(parameter.name.starts_with("encoder.layers.0.self.query")) << parameter.name;
    shared += parameter.name == "shared.both.query.weight" ? 1 : 0;
  }
  EXPECT_EQ(shared, 1);
  // The attentions of two layers minus those of one: shared weights are stored once.
  options.encoder_self.shared_as.values.clear();
  EXPECT_EQ(TinyModel(options).store.count() - model.store.count(),
            attention_parameters(attention_spec(options, AttentionKind::encoder_self, 0)));
}

// Without heads, the block adds only its output bias.
TEST(AttentionWithoutHeads, is_its_bias) {
  ModelOptions options = tiny_options();
  options.encoder_self.heads.values = {0};
  options.decoder_self.heads.values = {0};
  options.norm_position = NormPosition::post;  // a pre-norm before no heads would have no gradient
  expect_gradients(options, tiny_batch());
  const TinyModel model(options);
  EXPECT_EQ(std::ranges::count_if(model.store.parameters(),
                                  [](const NamedParameter& parameter) {
                                    return lies_in(parameter.name, "encoder.layers.0.self");
                                  }),
            3);  // the bias and two parameters of the norm
}

TEST(DecoderHeads, of_random_compositions_have_their_gradients) {
  const Batch batch = next_token_batch({{3, 4, 5, 6, 7}, {8, 3, 4}, {}, {5, 5}});
  RandomAttention random(6);
  for (int i = 0; i < 24; ++i) {
    SCOPED_TRACE(fmt::format("composition {}", i));
    expect_gradients(of_family(random.next(), Family::decoder), batch);
  }
}

TEST(DecoderHeads, of_random_compositions_decode_as_recomputation_does) {
  const DecodingOptions options{.max_extra_length = 5};
  RandomAttention random(6);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(fmt::format("composition {}", i));
    ModelOptions composition = of_family(random.next(), Family::decoder);
    composition.initializer_gain = 3;  // so that outputs differ by position
    TinyModel model(composition, 5);
    model.shake(0.05);
    const auto outputs = decode_together(model, decoding_sources, options);
    for (std::size_t k = 0; k < decoding_sources.size(); ++k) {
      const Hypothesis expected = naive_beam(model, decoding_sources[k], options)[0];
      EXPECT_EQ(outputs[k][0].tokens, expected.tokens);
      EXPECT_NEAR(outputs[k][0].log_probability, expected.log_probability, 1e-9);
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
