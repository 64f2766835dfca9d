// The transformer's gradients: against differences along random directions, and however the batch
// is cut.
#include "tests/nn/model_gradients.hpp"
#include "tests/support/stack_batches.hpp"
#include "tests/support/testing.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr std::uint64_t seed = 11;
constexpr Index step = 3;

// Adds the gradient of the parts' loss, summed over tokens, and returns the loss.
double run(const TinyModel& model, const PoolVector<Batch>& parts, ParameterGradients& gradients) {
  double loss = 0;
  for (const Batch& part : parts) {
    Tape tape;
    Pass pass(tape, model.store, gradients, seed, step);
    const CrossEntropy result = batch_loss(model.transformer, pass, part, {.label_smoothing = 0.1});
    loss += result.loss.value().data()[0];
    tape.backward(result.loss);
  }
  return loss;
}

TEST(TransformerGradients, are_the_losses_slopes) {
  ModelOptions options = tiny_options();
  options.dropout = 0.2;
  for (const NormPosition position : {NormPosition::pre, NormPosition::post}) {
    for (const Tying tying :
         {Tying::none, Tying::source_target, Tying::target_output, Tying::all}) {
      for (const NormKind norm : {NormKind::layer_norm, NormKind::rms_norm, NormKind::none}) {
        for (const PositionKind positions : {PositionKind::sinusoidal, PositionKind::learned}) {
          SCOPED_TRACE(fmt::format("position {}, tying {}, norm {}, positions {}",
                                   static_cast<int>(position), static_cast<int>(tying),
                                   static_cast<int>(norm), static_cast<int>(positions)));
          options.norm_position = position;
          options.tie_embeddings = tying;
          options.norm = norm;
          options.positions = positions;
          expect_gradients(options, tiny_batch());
        }
      }
    }
  }
}

// With all tables tied, the output uses the first rows of the table. The rest of the rows get a
// gradient from the source alone, or zeros.
TEST(TransformerGradients, of_unequal_vocabularies_are_the_losses_slopes) {
  ModelOptions options = tiny_options();
  for (const Tying tying : {Tying::all, Tying::source_target, Tying::target_output}) {
    SCOPED_TRACE(static_cast<int>(tying));
    options.tie_embeddings = tying;
    for (const bool bias : {false, true}) {
      options.bias_output = bias;
      expect_gradients(options, tiny_batch(), tiny_vocabulary + 4);
    }
  }
}

// Each kind of feed-forward block with and without biases, as in Llama and in attention-only
// models.
TEST(TransformerGradients, of_blocks_are_the_losses_slopes) {
  ModelOptions options = tiny_options();
  options.dropout = 0.2;
  options.activation = Activation::silu;
  for (const FeedForwardKind kind :
       {FeedForwardKind::plain, FeedForwardKind::gated, FeedForwardKind::none}) {
    for (const NormPosition position : {NormPosition::pre, NormPosition::post}) {
      for (const bool biases : {true, false}) {
        SCOPED_TRACE(fmt::format("{}, post {}, biases {}", static_cast<int>(kind),
                                 static_cast<int>(position), biases));
        options.feed_forward = kind;
        options.norm_position = position;
        options.bias_attention = options.bias_feed_forward = options.bias_norm = biases;
        expect_gradients(options, tiny_batch());
      }
    }
  }
}

ModelOptions shard_options() {
  ModelOptions options = tiny_options();
  options.dropout = 0.3;
  options.layers = 2;
  return options;
}

// Draws depend on the token's row in the whole step, so a cut batch drops the same numbers.
void expect_same(const ModelOptions& options, const PoolVector<Batch>& parts,
                 const PoolVector<Batch>& other_parts) {
  TinyModel model(options);
  model.shake(0.2);
  ParameterGradients one(model.store);
  ParameterGradients other(model.store);
  EXPECT_NEAR(run(model, parts, one), run(model, other_parts, other), 1e-12);
  for (const NamedParameter& parameter : model.store.parameters()) {
    EXPECT_THAT(gradient_of(model.store, one, parameter),
                Pointwise(DoubleNear(1e-12), gradient_of(model.store, other, parameter)))
        << parameter.name;
  }
}

// In the decoder's batch only some rows have labels; parts without labels add nothing.
TEST(TransformerShards, sum_to_the_whole) {
  const Batch next = next_token_batch({{3, 4, 5, 6, 7}, {8, 3, 4}, {}, {5, 5}});
  for (const bool decoder : {false, true}) {
    const Batch batch = decoder ? next : tiny_batch();
    ModelOptions options = shard_options();
    if (decoder) {
      options.family = Family::decoder;
      options.positions = PositionKind::learned;
    }
    for (const Index shards : {2, 3, 4, 5}) {
      const PoolVector<Batch> parts = cut_into_shards(batch, shards);
      EXPECT_GT(parts.size(), 1U);
      Index labels = 0;
      for (const Batch& part : parts) {
        expect_whole(part);
        labels += part.labels.count();
      }
      EXPECT_EQ(labels, batch.labels.count());
      expect_same(options, {batch}, parts);
    }
  }
}

TEST(TransformerShards, of_one_batch_after_another_sum_to_the_whole) {
  const auto pairs = [](Index first, Index end) {
    return batch_of({tiny_sources.begin() + first, tiny_sources.begin() + end},
                    {tiny_targets.begin() + first, tiny_targets.begin() + end});
  };
  const Batch early = pairs(0, 2);
  PoolVector<Batch> parts = cut_into_shards(early, 2);
  const RowsBefore before{.context = early.context.rows(), .input = early.input.rows()};
  for (const Batch& part : cut_into_shards(pairs(2, 5), 2, before)) {
    parts.push_back(part);
  }
  expect_same(shard_options(), {tiny_batch()}, parts);
}

TEST(TransformerShards, drop_other_numbers_at_other_steps) {
  const TinyModel model(shard_options());
  const auto loss_at = [&](std::uint64_t at_seed, Index at_step) {
    ParameterGradients unused(model.store);
    Tape tape;
    Pass pass(tape, model.store, unused, at_seed, at_step);
    return batch_loss(model.transformer, pass, tiny_batch()).negative_log_likelihood;
  };
  EXPECT_EQ(loss_at(seed, step), loss_at(seed, step));
  EXPECT_NE(loss_at(seed, step), loss_at(seed + 1, step));
  EXPECT_NE(loss_at(seed, step), loss_at(seed, step + 1));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
