// The whole transformer: parameter names, gradients, and what its outputs depend on.
#include "nn/transformer/transformer.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

std::vector<std::string> names(const ParameterStore& store) {
  std::vector<std::string> result;
  for (const NamedParameter& parameter : store.parameters()) {
    result.push_back(parameter.name + " " + parameter.shape.to_string());
  }
  return result;
}

// Checkpoints find parameters by these names: a changed name breaks every existing checkpoint.
TEST(TransformerParameters, keep_their_names) {
  const std::string self =
      "query.weight (10, 6)|key.weight (10, 6)|value.weight (10, 6)|query.bias (10)|key.bias (10)|"
      "value.bias (10)|";
  const std::string cross =
      "query.weight (10, 6)|query.bias (10)|key.weight (10, 6)|value.weight (10, 6)|key.bias (10)|"
      "value.bias (10)|";
  const std::string output = "output.weight (6, 10)|output.bias (6)|norm.gain (6)|norm.bias (6)";
  const std::string feed_forward =
      "inner.weight (11, 6)|inner.bias (11)|outer.weight (6, 11)|outer.bias (6)|norm.gain (6)|"
      "norm.bias (6)";
  std::vector<std::string> expected;
  for (const auto& [scope, parameters] : std::vector<std::pair<std::string, std::string>>{
           {"", "target.embedding (9, 6)|source.embedding (9, 6)|output.weight (9, 6)"},
           {"encoder.layers.0.self.", self + output},
           {"encoder.layers.0.feed_forward.", feed_forward},
           {"decoder.layers.0.self.", self + output},
           {"decoder.layers.0.cross.", cross + output},
           {"decoder.layers.0.feed_forward.", feed_forward},
           {"encoder.norm.", "gain (6)|bias (6)"},
           {"decoder.norm.", "gain (6)|bias (6)"}}) {
    std::istringstream stream(parameters);
    for (std::string parameter; std::getline(stream, parameter, '|');) {
      expected.push_back(scope + parameter);
    }
  }
  EXPECT_THAT(names(TinyModel(tiny_options()).store), ElementsAreArray(expected));
}

// With every option that removes parameters: tied tables, no final norms, RMS norm.
TEST(TransformerParameters, are_fewer_where_tied_or_left_out) {
  ModelOptions options = tiny_options();
  options.tie_embeddings = Tying::all;
  options.norm = NormKind::rms_norm;
  options.norm_position = NormPosition::post;
  options.positions = PositionKind::learned;
  const TinyModel model(options, 1, tiny_vocabulary + 4);
  const std::vector<std::string> found = names(model.store);
  EXPECT_THAT(
      std::vector(found.begin(), found.begin() + 4),
      ElementsAreArray({"target.embedding (13, 6)", "source.positions (16, 6)",
                        "target.positions (16, 6)", "encoder.layers.0.self.query.weight (10, 6)"}));
  EXPECT_THAT(found, Each(Not(AnyOf(HasSubstr("norm.bias"), HasSubstr("encoder.norm.gain")))));
}

// The rules of configs (tests/train/config) hold for models, too.
TEST(Transformer, refuses_options_that_break_a_rule) {
  struct Case {
    std::string says;
    ModelOptions options;
    Index target_vocabulary;
  };
  std::vector<Case> cases;
  const auto refused = [&](const std::string& says, Index target_vocabulary = 9) -> ModelOptions& {
    cases.push_back({says, tiny_options(), target_vocabulary});
    return cases.back().options;
  };
  refused("cross.kv_heads: must divide the heads (3 for 2 heads)").cross.kv_heads.values = {3};
  refused("model.prefix: only a decoder").prefix = SourceRows::full;
  ModelOptions& unlike = refused("(all: encoder_self and cross differ in more)");
  unlike.attention.shared_as.values = {"all"};
  unlike.cross.heads.values = {1};
  refused("model.layer_groups: there are fewer layers").layer_groups = 3;
  ModelOptions& grouped = refused("encoder_self in layer 1 differs from layer 0");
  grouped.layers = 2;
  grouped.layer_groups = 1;
  grouped.attention.heads.values = {2, 3};
  ModelOptions& narrow = refused("(6 columns, model.d_embedding 4)");
  narrow.d_embedding = 4;
  narrow.tie_embeddings = Tying::target_output;
  for (const Tying tying : {Tying::source_target, Tying::all}) {
    ModelOptions& one_stack = refused("there is one embedding");
    one_stack.family = Family::decoder;
    one_stack.tie_embeddings = tying;
  }
  refused("model.tie_embeddings: all", 10).tie_embeddings = Tying::all;
  refused("9 and 10 entries", 10).tie_embeddings = Tying::all;
  ModelOptions& labels = refused("10 labels and 9 entries", 10);
  labels.family = Family::encoder;
  labels.tie_embeddings = Tying::target_output;
  for (const Case& one : cases) {
    ParameterStore store;
    EXPECT_THAT([&] { Transformer(store.root(), one.options, 9, one.target_vocabulary); },
                throws<ConfigError>(one.says));
  }
}

Tensor evaluate(const TinyModel& model, const Batch& batch) {
  Tape tape(false);
  Pass pass(tape, model.store);
  return logits_of(model.transformer, pass, batch).value();
}

// Models for each option that might change what the outputs depend on.
std::vector<ModelOptions> kinds() {
  std::vector<ModelOptions> result(3, tiny_options());
  result[0].layers = 2;
  result[1].norm_position = NormPosition::post;
  result[1].positions = PositionKind::learned;
  result[2].positions = PositionKind::none;
  result[2].norm = NormKind::rms_norm;
  return result;
}

TEST(Transformer, gives_each_sentence_what_it_gives_it_alone_and_sees_no_later_target_tokens) {
  for (const ModelOptions& options : kinds()) {
    TinyModel model(options);
    model.shake(0.2);
    const Tensor together = evaluate(model, tiny_batch());
    Index row = 0;
    for (std::size_t i = 0; i < tiny_sources.size(); ++i) {
      const Tensor alone = evaluate(model, batch_of({tiny_sources[i]}, {tiny_targets[i]}));
      EXPECT_THAT(alone.values(),
                  Pointwise(DoubleNear(1e-12),
                            together.part(row * tiny_vocabulary, alone.shape()).values()));
      row += alone.dim(0);
    }
    const Tensor before = evaluate(model, batch_of({{3, 4, 5}}, {{5, 4, 8, 3}}));
    const Tensor after = evaluate(model, batch_of({{3, 4, 5}}, {{5, 4, 6, 7}}));
    // Rows 0 ... 2 have read the begin mark, 5 and 4.
    const auto seen = static_cast<std::size_t>(3 * tiny_vocabulary);
    EXPECT_THAT(after.values().first(seen), ElementsAreArray(before.values().first(seen)));
    EXPECT_THAT(after.values().subspan(seen), Not(ElementsAreArray(before.values().subspan(seen))));
  }
}

// Without norms a block reads its rows unchanged and adds to them, so pre and post are equal.
TEST(Transformer, without_norms_has_none_of_their_parameters_and_no_position_for_them) {
  ModelOptions options = tiny_options();
  std::vector<Tensor> outputs;
  for (const NormPosition position : {NormPosition::pre, NormPosition::post}) {
    options.norm_position = position;
    options.norm = NormKind::layer_norm;
    const TinyModel with(options);
    options.norm = NormKind::none;
    const TinyModel without(options);
    Index norms = 0;
    for (const NamedParameter& parameter : with.store.parameters()) {
      norms += parameter.name.find("norm") == std::string::npos ? 0 : parameter.shape.size();
    }
    EXPECT_GT(norms, 0);
    EXPECT_EQ(without.store.count(), with.store.count() - norms);
    outputs.push_back(evaluate(without, tiny_batch()));
  }
  EXPECT_THAT(outputs[1].values(), Pointwise(DoubleNear(0), outputs[0].values()));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
