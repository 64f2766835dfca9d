// Initial weights: the deviations of the formulas, and which parameters each scheme covers.
#include "nn/init.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

ModelOptions with(InitKind kind, double gain) {
  ModelOptions options;
  options.d_model = 64;
  options.initializer = kind;
  options.initializer_gain = gain;
  return options;
}

// Glorot and Bengio 2010: a uniform of magnitude a has variance a² / 3 = 2 / (in + out); here
// 2 / (100 + 28) = 1 / 64.
TEST(Initializers, follow_their_formulas) {
  const Initializer uniform = weight_initializer(with(InitKind::xavier_uniform, 2), 100, 28);
  EXPECT_EQ(uniform.kind, Initializer::Kind::uniform);
  EXPECT_DOUBLE_EQ(uniform.value * uniform.value / 3, 4.0 / 64);
  const Initializer normal = weight_initializer(with(InitKind::xavier_normal, 2), 100, 28);
  EXPECT_EQ(normal.kind, Initializer::Kind::normal);
  EXPECT_DOUBLE_EQ(normal.value, 2.0 / 8);
  const Initializer plain = weight_initializer(with(InitKind::normal, 2), 100, 28);
  EXPECT_EQ(plain.kind, Initializer::Kind::normal);
  EXPECT_DOUBLE_EQ(plain.value, 2 * 0.02);
  const Initializer embedding = embedding_initializer(with(InitKind::xavier_uniform, 2), 9);
  EXPECT_EQ(embedding.kind, Initializer::Kind::normal);
  EXPECT_DOUBLE_EQ(embedding.value, 1.0 / 8);
  ModelOptions unscaled = with(InitKind::xavier_uniform, 2);
  unscaled.embedding_scale = EmbeddingScale::none;
  EXPECT_DOUBLE_EQ(embedding_initializer(unscaled, 9).value, 0.02);
}

// Csordás et al. 2021, section 3.1, for a table of 36 rows and 64 columns: deviation 1; Glorot's
// variance 2 / (36 + 64) = 1 / 50; He's variance 2 / 64. The gain applies to weight matrices only.
TEST(Initializers, of_embeddings_follow_the_scheme_that_is_asked_for) {
  ModelOptions options = with(InitKind::normal, 2);
  const auto of = [&](EmbeddingInit kind) {
    options.embedding_initializer = kind;
    return embedding_initializer(options, 36);
  };
  EXPECT_EQ(of(EmbeddingInit::unit_normal).kind, Initializer::Kind::normal);
  EXPECT_EQ(of(EmbeddingInit::unit_normal).value, 1);
  const Initializer xavier = of(EmbeddingInit::xavier_uniform);
  EXPECT_EQ(xavier.kind, Initializer::Kind::uniform);
  EXPECT_DOUBLE_EQ(xavier.value * xavier.value / 3, 1.0 / 50);
  EXPECT_EQ(of(EmbeddingInit::kaiming_normal).kind, Initializer::Kind::normal);
  EXPECT_DOUBLE_EQ(of(EmbeddingInit::kaiming_normal).value, std::sqrt(2.0 / 64));
  options.d_embedding = 32;
  EXPECT_DOUBLE_EQ(of(EmbeddingInit::kaiming_normal).value, std::sqrt(2.0 / 32));
  EXPECT_DOUBLE_EQ(standard_embedding_initializer(options).value, 1.0 / 8);
}

// Radford et al. 2019, section 2.3: factor 1/√N for N residual sums. An encoder layer has 2, a
// decoder layer with cross-attention 3, and one less without feed-forward blocks.
TEST(Initializers, of_last_maps_shrink_with_the_number_of_sums) {
  ModelOptions options = with(InitKind::normal, 1);
  options.encoder_layers = 8;
  options.decoder_layers = 3;
  const auto deviation = [&](StackName stack) {
    return last_map_initializer(options, 64, 64, stack).value;
  };
  EXPECT_EQ(deviation(StackName::decoder), 0.02);
  options.initializer_depth_scale = true;
  EXPECT_DOUBLE_EQ(deviation(StackName::encoder), 0.02 / 4);
  EXPECT_DOUBLE_EQ(deviation(StackName::decoder), 0.02 / 3);
  options.feed_forward = FeedForwardKind::none;
  EXPECT_DOUBLE_EQ(deviation(StackName::encoder), 0.02 / std::sqrt(8.0));
  options.family = Family::decoder;
  EXPECT_DOUBLE_EQ(deviation(StackName::decoder), 0.02 / std::sqrt(3.0));
}

}}  // namespace tapehead
