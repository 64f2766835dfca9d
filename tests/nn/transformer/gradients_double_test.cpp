// The transformer's gradients: against differences along random directions, and however the batch
// is cut.
#include "core/gradcheck/model/model.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"
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

Tensor gradient_of(const TinyModel& model, const ParameterGradients& gradients,
                   const NamedParameter& parameter) {
  EXPECT_TRUE(gradients.written(parameter.block)) << parameter.name;
  const Scalar* data =
      gradients.data(parameter.block) + parameter.offset - model.store.block_begin(parameter.block);
  return Tensor::of(parameter.shape,
                    std::span(data, static_cast<std::size_t>(parameter.shape.size())));
}

void expect_gradients(const ModelOptions& options, Index source_vocabulary = tiny_vocabulary) {
  TinyModel model(options, 1, source_vocabulary);
  model.shake(0.2);
  const auto loss = [&model](Tape& tape, ParameterGradients& gradients) {
    Pass pass(tape, model.store, gradients, seed, step);
    return batch_loss(model.transformer, pass, tiny_batch(), {.label_smoothing = 0.1}).loss;
  };
  const ModelGradcheckReport report = gradcheck_model(model.store, loss);
  EXPECT_TRUE(report.ok()) << report.message();
}

class TransformerGradients : public TestWithParam<std::tuple<NormPosition, Tying>> {};

INSTANTIATE_TEST_SUITE_P(Kinds, TransformerGradients,
                         testing::Combine(Values(NormPosition::pre, NormPosition::post),
                                          Values(Tying::none, Tying::source_target,
                                                 Tying::target_output, Tying::all)),
                         [](const auto& test) {
                           const auto position = static_cast<std::size_t>(std::get<0>(test.param));
                           const auto tying = static_cast<std::size_t>(std::get<1>(test.param));
                           return fmt::format("{}_{}", EnumNames<NormPosition>::names[position],
                                              EnumNames<Tying>::names[tying]);
                         });

TEST_P(TransformerGradients, are_the_losses_slopes) {
  ModelOptions options = tiny_options();
  std::tie(options.norm_position, options.tie_embeddings) = GetParam();
  options.dropout = 0.2;
  for (const NormKind norm : {NormKind::layer_norm, NormKind::rms_norm, NormKind::none}) {
    for (const PositionKind positions : {PositionKind::sinusoidal, PositionKind::learned}) {
      SCOPED_TRACE(static_cast<int>(norm));
      SCOPED_TRACE(static_cast<int>(positions));
      options.norm = norm;
      options.positions = positions;
      expect_gradients(options);
    }
  }
}

// With all tables tied, the output uses the first rows of the table. The rest of the rows get a
// gradient from the source alone, or zeros.
TEST(TransformerOfUnequalVocabularies, gradients_are_the_losses_slopes) {
  ModelOptions options = tiny_options();
  for (const Tying tying : {Tying::all, Tying::source_target, Tying::target_output}) {
    SCOPED_TRACE(static_cast<int>(tying));
    options.tie_embeddings = tying;
    for (const bool bias : {false, true}) {
      options.bias_output = bias;
      expect_gradients(options, tiny_vocabulary + 4);
    }
  }
}

// Each kind of feed-forward block with and without biases, as in Llama and in attention-only
// models.
TEST(TransformerOfBlocks, gradients_are_the_losses_slopes) {
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
        expect_gradients(options);
      }
    }
  }
}

// Draws depend on the token's row in the whole step, so a cut batch drops the same numbers.
class TransformerShards : public Test {
 protected:
  TransformerShards() : model_(options()) { model_.shake(0.2); }

  static ModelOptions options() {
    ModelOptions result = tiny_options();
    result.dropout = 0.3;
    result.layers = 2;
    return result;
  }

  void expect_same(const PoolVector<Batch>& parts, const PoolVector<Batch>& other_parts) const {
    ParameterGradients one(model_.store);
    ParameterGradients other(model_.store);
    EXPECT_NEAR(run(model_, parts, one), run(model_, other_parts, other), 1e-11);
    for (const NamedParameter& parameter : model_.store.parameters()) {
      EXPECT_THAT(gradient_of(model_, one, parameter).values(),
                  Pointwise(DoubleNear(1e-12), gradient_of(model_, other, parameter).values()))
          << parameter.name;
    }
  }

  TinyModel model_;
};

TEST_F(TransformerShards, sum_to_the_whole) {
  for (const Index shards : {2, 3, 5}) {
    const PoolVector<Batch> parts = cut_into_shards(tiny_batch(), shards);
    EXPECT_GT(parts.size(), 1U);
    expect_same({tiny_batch()}, parts);
  }
}

TEST_F(TransformerShards, of_one_batch_after_another_sum_to_the_whole) {
  const auto pairs = [](std::size_t first, std::size_t end) {
    const auto cut = [&](const std::vector<Sentence>& all) {
      return std::vector<Sentence>(all.begin() + static_cast<Index>(first),
                                   all.begin() + static_cast<Index>(end));
    };
    return batch_of(cut(tiny_sources), cut(tiny_targets));
  };
  const Batch early = pairs(0, 2);
  PoolVector<Batch> parts = cut_into_shards(early, 2);
  const RowsBefore before{.context = early.context.rows(), .input = early.input.rows()};
  for (const Batch& part : cut_into_shards(pairs(2, 5), 2, before)) {
    parts.push_back(part);
  }
  expect_same({tiny_batch()}, parts);
}

TEST_F(TransformerShards, drop_other_numbers_at_other_steps) {
  const auto loss_at = [this](std::uint64_t at_seed, Index at_step) {
    ParameterGradients unused(model_.store);
    Tape tape;
    Pass pass(tape, model_.store, unused, at_seed, at_step);
    return batch_loss(model_.transformer, pass, tiny_batch()).negative_log_likelihood;
  };
  EXPECT_EQ(loss_at(seed, step), loss_at(seed, step));
  EXPECT_NE(loss_at(seed, step), loss_at(seed + 1, step));
  EXPECT_NE(loss_at(seed, step), loss_at(seed, step + 1));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
