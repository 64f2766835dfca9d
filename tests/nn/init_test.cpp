// Initial weights: the deviations of the formulas, and which parameters each scheme covers; and
// layer groups from the model options.
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

auto uniform(double variance) {  // of magnitude a: a² / 3
  return FieldsAre(Initializer::Kind::uniform, DoubleEq(std::sqrt(3 * variance)), _, _);
}
auto normal(double deviation) {
  return FieldsAre(Initializer::Kind::normal, DoubleEq(deviation), _, _);
}

// Glorot and Bengio 2010: variance 2 / (in + out), here 2 / (100 + 28) = 1 / 64.
TEST(Initializers, follow_their_formulas) {
  const auto of = [](InitKind kind) { return weight_initializer(with(kind, 2), 100, 28); };
  EXPECT_THAT(of(InitKind::xavier_uniform), uniform(4.0 / 64));
  EXPECT_THAT(of(InitKind::xavier_normal), normal(2.0 / 8));
  EXPECT_THAT(of(InitKind::normal), normal(2 * 0.02));
  ModelOptions options = with(InitKind::xavier_uniform, 2);
  EXPECT_THAT(embedding_initializer(options, 9), normal(1.0 / 8));
  options.embedding_scale = EmbeddingScale::none;
  EXPECT_THAT(embedding_initializer(options, 9), normal(0.02));
}

// Csordás et al. 2021, section 3.1, for a table of 36 rows and 64 columns: deviation 1; Glorot's
// variance 2 / (36 + 64) = 1 / 50; He's variance 2 / 64. The gain applies to weight matrices only.
TEST(Initializers, of_embeddings_follow_the_scheme_that_is_asked_for) {
  ModelOptions options = with(InitKind::normal, 2);
  const auto of = [&](EmbeddingInit kind) {
    options.embedding_initializer = kind;
    return embedding_initializer(options, 36);
  };
  EXPECT_THAT(of(EmbeddingInit::unit_normal), normal(1));
  EXPECT_THAT(of(EmbeddingInit::xavier_uniform), uniform(1.0 / 50));
  EXPECT_THAT(of(EmbeddingInit::kaiming_normal), normal(std::sqrt(2.0 / 64)));
  options.d_embedding = 32;
  EXPECT_THAT(of(EmbeddingInit::kaiming_normal), normal(std::sqrt(2.0 / 32)));
  EXPECT_THAT(standard_embedding_initializer(options), normal(1.0 / 8));
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

std::vector<Index> firsts_of(Index layers, Index groups) {
  ModelOptions options;
  options.layer_groups = groups;
  std::vector<Index> firsts;
  for (Index layer = 0; layer < layers; ++layer) {
    firsts.push_back(options.first_of_group(layer, layers));
  }
  return firsts;
}

// Python: g = [int(i / (layers / groups)) for i in range(layers)]; [g.index(x) for x in g]. Without
// rounding, 9 / (18 / 14) is 7, and layer 9 would be the first of its group.
TEST(ModelOptions, group_layers_as_transformers_does) {
  EXPECT_EQ(firsts_of(18, 14),
            (std::vector<Index>{0, 0, 2, 3, 4, 4, 6, 7, 8, 8, 10, 11, 12, 13, 13, 15, 16, 17}));
  EXPECT_EQ(
      firsts_of(36, 14),
      (std::vector<Index>{0,  0,  0,  3,  3,  3,  6,  6,  8,  8,  8,  11, 11, 13, 13, 13, 16, 16,
                          16, 19, 19, 21, 21, 21, 24, 24, 26, 26, 26, 29, 29, 31, 31, 31, 34, 34}));
  EXPECT_EQ(firsts_of(7, 3), (std::vector<Index>{0, 0, 0, 3, 3, 5, 5}));
  EXPECT_EQ(firsts_of(4, 1), (std::vector<Index>{0, 0, 0, 0}));
  EXPECT_EQ(firsts_of(3, 3), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(firsts_of(3, 5), (std::vector<Index>{0, 1, 2}));
}

}}  // namespace tapehead
