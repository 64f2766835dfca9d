// The options of BERT and ALBERT in models of every family: gradients, token types, and layers that
// share weights.
#include "tests/nn/model_gradients.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/stack_batches.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Models of this family with one option each, and with all.
std::map<std::string, ModelOptions> models_with_options(Family family) {
  ModelOptions plain = of_family(tiny_options(), family);
  plain.positions = PositionKind::learned;
  plain.dropout = 0.2;
  std::map<std::string, ModelOptions> models;
  for (const char* name : {"token_types", "embedding_norm", "narrow_embedding", "wide_embedding",
                           "one_group", "pooler", "masked", "all"}) {
    models[name] = plain;
  }
  models["token_types"].token_types = 3;
  models["embedding_norm"].embedding_norm = true;
  models["narrow_embedding"].d_embedding = 4;
  models["wide_embedding"].d_embedding = 8;
  models["one_group"].layers = 2;
  models["one_group"].layer_groups = 1;
  models["pooler"].head_transform = HeadTransform::pooler;
  models["masked"].head_transform = HeadTransform::masked;
  ModelOptions& all = models["all"];
  all.token_types = 3;
  all.embedding_norm = true;
  all.d_embedding = 5;
  all.layers = 3;
  all.layer_groups = 2;
  all.head_transform = HeadTransform::masked;
  all.tie_embeddings = Tying::target_output;
  all.bias_output = true;
  return models;
}

Batch batch_for(Family family) {
  Batch batch = family == Family::encoder_decoder
                    ? tiny_batch()
                    : next_token_batch({{3, 4, 5, 6, 7}, {8, 3, 4}, {}, {5, 5}});
  for (Tokens* tokens : {&batch.context, &batch.input}) {
    for (Index row = 0; row < tokens->rows(); ++row) {
      tokens->types.push_back(static_cast<TokenId>(row % 3));
    }
  }
  return batch;
}

TEST(EncoderOptions, have_gradients_that_are_the_losses_slopes) {
  for (const Family family : {Family::encoder, Family::decoder, Family::encoder_decoder}) {
    for (const auto& [name, options] : models_with_options(family)) {
      SCOPED_TRACE(fmt::format("{} in family {}", name, static_cast<int>(family)));
      expect_gradients(options, batch_for(family));
    }
  }
}

// best(), which decoding uses and which works block by block, agrees with the logits.
TEST(EncoderOptions, find_the_tokens_that_the_logits_say) {
  for (const auto& [name, options] : models_with_options(Family::decoder)) {
    SCOPED_TRACE(name);
    TinyModel model(options);
    model.shake(0.5);
    Tape tape(false);
    Pass pass(tape, model.store);
    const Var rows = model.transformer.hidden(pass, batch_for(Family::decoder));
    const Tensor logits = model.transformer.logits(pass, rows).value();
    const BestTokens best = model.transformer.output().best(pass, rows, 1, -1, LogSums::left_out);
    for (Index row = 0; row < logits.dim(0); ++row) {
      const Scalar* first = logits.row(row);
      const auto most = std::max_element(first, first + logits.dim(1)) - first;
      EXPECT_EQ(best.tokens[static_cast<std::size_t>(row)].token, most);
    }
  }
}

TEST(TokenTypes, are_0_if_the_batch_has_none_and_those_of_the_table) {
  ModelOptions options = of_family(tiny_options(), Family::encoder);
  options.token_types = 2;
  TinyModel model(options);
  model.shake(0.2);
  const auto rows_with = [](const TinyModel& with, const PoolVector<TokenId>& types) {
    Batch batch = sequences_of({{3, 4, 5}, {6}});
    batch.input.types = types;
    Tape tape(false);
    Pass pass(tape, with.store);
    const Tensor rows = with.transformer.hidden(pass, batch).value();
    return std::vector<Scalar>(rows.values().begin(), rows.values().end());
  };
  EXPECT_EQ(rows_with(model, {}), rows_with(model, {0, 0, 0, 0}));
  EXPECT_NE(rows_with(model, {}), rows_with(model, {0, 0, 1, 0}));
  EXPECT_THAT([&] { rows_with(model, {0, 1, 2, 0}); },
              throws("source.types: token 2 has the type 2"));
  EXPECT_THAT([&] { rows_with(model, {0, -1, 0, 0}); }, throws("token 1 has the type -1"));
  const TinyModel without(of_family(tiny_options(), Family::encoder));
  EXPECT_EQ(rows_with(without, {0, 7, 1, 0}), rows_with(without, {}));
}

// Five layers in groups {0, 1}, {2, 3} and {4}.
TEST(LayerGroups, declare_the_weights_of_each_group_once) {
  ModelOptions options = tiny_options();
  options.layers = 5;
  options.layer_groups = 3;
  const TinyModel model(options);
  std::set<std::string> layers;
  for (const NamedParameter& parameter : model.store.parameters()) {
    const std::size_t at = parameter.name.find("layers.");
    if (at != std::string::npos) {
      layers.insert(parameter.name.substr(0, at + 8));
    }
  }
  EXPECT_EQ(layers,
            (std::set<std::string>{"decoder.layers.0", "decoder.layers.2", "decoder.layers.4",
                                   "encoder.layers.0", "encoder.layers.2", "encoder.layers.4"}));
  std::vector<Index> sites;
  for (const MultiHeadAttention* attention : model.transformer.attentions()) {
    EXPECT_TRUE(attention->site.layer == 4 || model.transformer.shares_weights(*attention));
    sites.push_back(attention->site.layer);
  }
  EXPECT_EQ(sites, (std::vector<Index>{0, 1, 2, 3, 4, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
}

// The name of the parameter if layers 0 and 1 form one group.
std::string name_of_group(std::string name) {
  const std::size_t at = name.find("layers.1.");
  return at == std::string::npos ? name : name.replace(at, 9, "layers.0.");
}

// The loss with dropout, and the gradients summed over parameters with the same name in a group.
struct GroupRun {
  explicit GroupRun(const TinyModel& model) {
    Tape tape;
    ParameterGradients gradients(model.store);
    Pass pass(tape, model.store, gradients, 11, 3);
    const Batch batch = first_row_batch({{3, 4, 5, 6}, {6, 8}}, 4);
    const CrossEntropy result = batch_loss(model.transformer, pass, batch);
    tape.backward(result.loss);
    loss = result.negative_log_likelihood;
    for (const NamedParameter& parameter : model.store.parameters()) {
      const auto gradient = gradient_of(model.store, gradients, parameter);
      std::vector<Scalar>& sum = sums[name_of_group(parameter.name)];
      sum.resize(gradient.size());
      std::ranges::transform(sum, gradient, sum.begin(), std::plus<>());
    }
  }

  double loss = 0;
  std::map<std::string, std::vector<Scalar>> sums;
};

// Separate layers with equal weights give the same loss, since each layer draws its own dropout. A
// shared weight's gradient is the sum over its copies.
TEST(LayerGroups, compute_what_layers_with_equal_weights_do) {
  ModelOptions options = of_family(tiny_options(), Family::encoder);
  options.layers = 2;
  options.dropout = 0.3;
  options.attention.pattern.values = {{{AttentionPattern("full")}},
                                      {{AttentionPattern("window 1")}}};
  TinyModel apart(options);
  options.layer_groups = 1;
  TinyModel shared(options);
  shared.shake(0.2);
  for (const NamedParameter& parameter : apart.store.parameters()) {
    std::ranges::copy(values_of(shared.store, name_of_group(parameter.name)).values(),
                      apart.store.value(parameter).values().begin());
  }
  const GroupRun expected(apart);
  const GroupRun found(shared);
  EXPECT_EQ(found.loss, expected.loss);
  ASSERT_EQ(found.sums.size(), expected.sums.size());
  for (const auto& [name, gradient] : found.sums) {
    EXPECT_THAT(gradient, Pointwise(DoubleNear(1e-12), expected.sums.at(name))) << name;
  }
}

TEST(FactoredEmbedding, is_the_output_layer_of_rows_that_are_as_wide) {
  ModelOptions options = tiny_options();
  options.d_embedding = 4;
  options.tie_embeddings = Tying::target_output;
  options.head_transform = HeadTransform::masked;
  EXPECT_EQ(TinyModel(options).transformer.output().weight.shape, (Shape{tiny_vocabulary, 4}));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
