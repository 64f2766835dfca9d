// The options of BERT and ALBERT in models of every family: gradients, token types, and layers that
// share weights.
#include "core/gradcheck/model/model.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/stack_batches.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

struct OptionCase {
  std::string name;
  std::function<void(ModelOptions&)> set;

  friend std::ostream& operator<<(std::ostream& out, const OptionCase& c) { return out << c.name; }
};

void take_all(ModelOptions& options) {
  options.token_types = 3;
  options.embedding_norm = true;
  options.d_embedding = 5;
  options.layers = 3;
  options.layer_groups = 2;
  options.head_transform = HeadTransform::masked;
  options.tie_embeddings = Tying::target_output;
  options.bias_output = true;
}

std::vector<OptionCase> option_cases() {
  using Options = ModelOptions;
  return {{"token_types", [](Options& options) { options.token_types = 3; }},
          {"embedding_norm", [](Options& options) { options.embedding_norm = true; }},
          {"narrow_embedding", [](Options& options) { options.d_embedding = 4; }},
          {"wide_embedding", [](Options& options) { options.d_embedding = 8; }},
          {"one_group",
           [](Options& options) {
             options.layers = 2;
             options.layer_groups = 1;
           }},
          {"pooler", [](Options& options) { options.head_transform = HeadTransform::pooler; }},
          {"masked", [](Options& options) { options.head_transform = HeadTransform::masked; }},
          {"all", take_all}};
}

ModelOptions options_of(const OptionCase& c, Family family) {
  ModelOptions options = of_family(tiny_options(), family);
  options.positions = PositionKind::learned;
  options.dropout = 0.2;
  c.set(options);
  return options;
}

void add_types(Tokens& tokens, Index types) {
  for (Index row = 0; row < tokens.rows(); ++row) {
    tokens.types.push_back(static_cast<TokenId>(row % types));
  }
}

Batch batch_for(Family family) {
  Batch batch = family == Family::encoder_decoder
                    ? tiny_batch()
                    : next_token_batch({{3, 4, 5, 6, 7}, {8, 3, 4}, {}, {5, 5}});
  add_types(batch.context, 3);
  add_types(batch.input, 3);
  return batch;
}

class EncoderOptions : public TestWithParam<OptionCase> {};

INSTANTIATE_TEST_SUITE_P(Options, EncoderOptions, ValuesIn(option_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(EncoderOptions, have_gradients_that_are_the_losses_slopes) {
  for (const Family family : {Family::encoder, Family::decoder, Family::encoder_decoder}) {
    SCOPED_TRACE(static_cast<int>(family));
    TinyModel model(options_of(GetParam(), family));
    model.shake(0.2);
    const ModelGradcheckReport report =
        gradcheck_model(model.store, [&](Tape& tape, ParameterGradients& gradients) {
          Pass pass(tape, model.store, gradients, 11, 3);
          return batch_loss(model.transformer, pass, batch_for(family)).loss;
        });
    EXPECT_TRUE(report.ok()) << report.message();
  }
}

// best(), which decoding uses and which works block by block, agrees with the logits.
TEST_P(EncoderOptions, find_the_tokens_that_the_logits_say) {
  TinyModel model(options_of(GetParam(), Family::decoder));
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

class TokenTypes : public Test {
 protected:
  TokenTypes() : model_(options()) { model_.shake(0.2); }

  static ModelOptions options() {
    ModelOptions options = of_family(tiny_options(), Family::encoder);
    options.token_types = 2;
    return options;
  }
  std::vector<Scalar> rows_with(const PoolVector<TokenId>& types) const {
    Batch batch = sequences_of({{3, 4, 5}, {6}});
    batch.input.types = types;
    Tape tape(false);
    Pass pass(tape, model_.store);
    const Tensor rows = model_.transformer.hidden(pass, batch).value();
    return {rows.values().begin(), rows.values().end()};
  }

  TinyModel model_;
};

TEST_F(TokenTypes, are_0_if_the_batch_has_none) {
  EXPECT_THAT(rows_with({}), Pointwise(Eq(), rows_with({0, 0, 0, 0})));
  EXPECT_THAT(rows_with({}), Not(Pointwise(Eq(), rows_with({0, 0, 1, 0}))));
}

TEST_F(TokenTypes, that_the_table_does_not_have_are_refused_with_their_place) {
  EXPECT_THAT([&] { rows_with({0, 1, 2, 0}); },
              ThrowsMessage<ShapeError>(HasSubstr("source.types: token 2 has the type 2")));
  EXPECT_THAT([&] { rows_with({0, -1, 0, 0}); },
              ThrowsMessage<ShapeError>(HasSubstr("token 1 has the type -1")));
}

TEST_F(TokenTypes, make_no_difference_without_a_table) {
  TinyModel model(of_family(tiny_options(), Family::encoder));
  const auto loss_of = [&](const PoolVector<TokenId>& types) {
    Batch batch = first_row_batch({{3, 4, 5}, {6}}, 4);
    batch.input.types = types;
    Tape tape(false);
    Pass pass(tape, model.store);
    return batch_loss(model.transformer, pass, batch).negative_log_likelihood;
  };
  EXPECT_EQ(loss_of({0, 7, 1, 0}), loss_of({}));
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
      const Scalar* gradient = gradients.data(parameter.block) + parameter.offset -
                               model.store.block_begin(parameter.block);
      std::vector<Scalar>& sum = sums[name_of_group(parameter.name)];
      sum.resize(static_cast<std::size_t>(parameter.shape.size()));
      std::transform(sum.begin(), sum.end(), gradient, sum.begin(), std::plus<>());
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
    const auto same = std::ranges::find(shared.store.parameters(), name_of_group(parameter.name),
                                        &NamedParameter::name);
    std::ranges::copy(shared.store.value(*same).values(),
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

TEST(LayerGroups, of_layers_that_need_other_weights_are_refused) {
  ModelOptions options = tiny_options();
  options.layers = 2;
  options.layer_groups = 1;
  options.attention.heads.values = {2, 3};
  EXPECT_THAT(
      [&] { TinyModel model(options); },
      ThrowsMessage<ConfigError>(HasSubstr("encoder_self in layer 1 differs from layer 0")));
}

TEST(LayerGroups, are_no_more_than_the_layers) {
  ModelOptions options = tiny_options();
  options.layers = 2;
  options.layer_groups = 3;
  EXPECT_THAT([&] { TinyModel model(options); },
              ThrowsMessage<ConfigError>(HasSubstr("model.layer_groups: there are fewer layers")));
}

TEST(FactoredEmbedding, cannot_be_the_output_layer_of_wider_rows) {
  ModelOptions options = tiny_options();
  options.d_embedding = 4;
  options.tie_embeddings = Tying::target_output;
  EXPECT_THAT([&] { TinyModel model(options); },
              ThrowsMessage<ConfigError>(HasSubstr("(6 columns, model.d_embedding 4)")));
  options.head_transform = HeadTransform::masked;
  EXPECT_EQ(TinyModel(options).transformer.output().weight.shape, (Shape{tiny_vocabulary, 4}));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
