// The whole transformer: parameter names, gradients, and what its outputs depend on.
#include "nn/transformer/transformer.hpp"

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
  const TinyModel model(tiny_options());
  EXPECT_THAT(names(model.store),
              ElementsAreArray({"target.embedding (9, 6)",
                                "source.embedding (9, 6)",
                                "output.weight (9, 6)",
                                "encoder.layers.0.self.query.weight (10, 6)",
                                "encoder.layers.0.self.key.weight (10, 6)",
                                "encoder.layers.0.self.value.weight (10, 6)",
                                "encoder.layers.0.self.query.bias (10)",
                                "encoder.layers.0.self.key.bias (10)",
                                "encoder.layers.0.self.value.bias (10)",
                                "encoder.layers.0.self.output.weight (6, 10)",
                                "encoder.layers.0.self.output.bias (6)",
                                "encoder.layers.0.self.norm.gain (6)",
                                "encoder.layers.0.self.norm.bias (6)",
                                "encoder.layers.0.feed_forward.inner.weight (11, 6)",
                                "encoder.layers.0.feed_forward.inner.bias (11)",
                                "encoder.layers.0.feed_forward.outer.weight (6, 11)",
                                "encoder.layers.0.feed_forward.outer.bias (6)",
                                "encoder.layers.0.feed_forward.norm.gain (6)",
                                "encoder.layers.0.feed_forward.norm.bias (6)",
                                "decoder.layers.0.self.query.weight (10, 6)",
                                "decoder.layers.0.self.key.weight (10, 6)",
                                "decoder.layers.0.self.value.weight (10, 6)",
                                "decoder.layers.0.self.query.bias (10)",
                                "decoder.layers.0.self.key.bias (10)",
                                "decoder.layers.0.self.value.bias (10)",
                                "decoder.layers.0.self.output.weight (6, 10)",
                                "decoder.layers.0.self.output.bias (6)",
                                "decoder.layers.0.self.norm.gain (6)",
                                "decoder.layers.0.self.norm.bias (6)",
                                "decoder.layers.0.cross.query.weight (10, 6)",
                                "decoder.layers.0.cross.query.bias (10)",
                                "decoder.layers.0.cross.key.weight (10, 6)",
                                "decoder.layers.0.cross.value.weight (10, 6)",
                                "decoder.layers.0.cross.key.bias (10)",
                                "decoder.layers.0.cross.value.bias (10)",
                                "decoder.layers.0.cross.output.weight (6, 10)",
                                "decoder.layers.0.cross.output.bias (6)",
                                "decoder.layers.0.cross.norm.gain (6)",
                                "decoder.layers.0.cross.norm.bias (6)",
                                "decoder.layers.0.feed_forward.inner.weight (11, 6)",
                                "decoder.layers.0.feed_forward.inner.bias (11)",
                                "decoder.layers.0.feed_forward.outer.weight (6, 11)",
                                "decoder.layers.0.feed_forward.outer.bias (6)",
                                "decoder.layers.0.feed_forward.norm.gain (6)",
                                "decoder.layers.0.feed_forward.norm.bias (6)",
                                "encoder.norm.gain (6)",
                                "encoder.norm.bias (6)",
                                "decoder.norm.gain (6)",
                                "decoder.norm.bias (6)"}));
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

TEST(TransformerParameters, of_two_vocabularies_cannot_all_be_tied) {
  ModelOptions options = tiny_options();
  options.tie_embeddings = Tying::all;
  ParameterStore store;
  EXPECT_THAT([&] { Transformer(store.root(), options, 9, 10); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("model.tie_embeddings: all"), HasSubstr("9 and 10 entries"))));
}

Tensor evaluate(const TinyModel& model, const Batch& batch, const Recorder& recorder = {}) {
  Tape tape(false);
  Pass pass(tape, model.store);
  pass.recorder = recorder;
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

TEST(Transformer, gives_each_sentence_of_a_batch_what_it_gives_it_alone) {
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
  }
}

TEST(Transformer, without_an_embedding_scale_equals_one_whose_tables_have_it) {
  const TinyModel scaled(tiny_options());
  ModelOptions options = tiny_options();
  options.embedding_scale = EmbeddingScale::none;
  TinyModel plain(options);
  for (const NamedParameter& parameter : scaled.store.parameters()) {
    const bool table = parameter.name.ends_with(".embedding");
    std::ranges::transform(
        scaled.store.value(parameter).values(), plain.store.value(parameter).values().begin(),
        [&](double number) { return table ? number * std::sqrt(options.d_model) : number; });
  }
  EXPECT_THAT(evaluate(plain, tiny_batch()).values(),
              Pointwise(DoubleNear(1e-12), evaluate(scaled, tiny_batch()).values()));
}

TEST(Transformer, has_norms_with_the_epsilon_of_its_options) {
  for (const NormKind kind : {NormKind::layer_norm, NormKind::rms_norm}) {
    ModelOptions options = tiny_options();
    options.norm = kind;
    options.norm_epsilon = 0.5;
    ParameterStore store;
    const Norm norm(store.root() / "norm", options);
    store.initialize(1);
    Tape tape(false);
    Pass pass(tape, store);
    const Tensor x = random_tensor({3, 6}, 1);
    const Tensor y = norm(pass, tape.constant(x)).value();
    for (Index i = 0; i < 3; ++i) {
      const std::span<const Scalar> row = x.part(i * 6, {6}).values();
      const bool centred = kind == NormKind::layer_norm;
      const double mean = centred ? std::accumulate(row.begin(), row.end(), 0.0) / 6 : 0;
      double squares = 0;
      for (const double number : row) {
        squares += (number - mean) * (number - mean) / 6;
      }
      for (std::size_t c = 0; c < 6; ++c) {
        EXPECT_NEAR(y.row(i)[c], (row[c] - mean) / std::sqrt(squares + 0.5), 1e-14);
      }
    }
  }
}

TEST(Transformer, has_no_parameter_of_norms_without_norms) {
  for (const NormPosition position : {NormPosition::pre, NormPosition::post}) {
    ModelOptions options = tiny_options();
    options.norm_position = position;
    const TinyModel with(options);
    options.norm = NormKind::none;
    const TinyModel without(options);
    Index norms = 0;
    for (const NamedParameter& parameter : with.store.parameters()) {
      norms += parameter.name.find("norm") == std::string::npos ? 0 : parameter.shape.size();
    }
    EXPECT_GT(norms, 0);
    EXPECT_EQ(without.store.count(), with.store.count() - norms);
  }
}

// Without norms a block reads its rows unchanged and adds to them, so pre and post are equal.
TEST(Transformer, has_no_norms_in_either_position_without_norms) {
  ModelOptions options = tiny_options();
  options.norm = NormKind::none;
  const Tensor pre = evaluate(TinyModel(options), tiny_batch());
  options.norm_position = NormPosition::post;
  EXPECT_THAT(evaluate(TinyModel(options), tiny_batch()).values(),
              Pointwise(DoubleNear(0), pre.values()));
}

TEST(Transformer, does_not_see_later_target_tokens) {
  for (const ModelOptions& options : kinds()) {
    TinyModel model(options);
    model.shake(0.2);
    const Tensor before = evaluate(model, batch_of({{3, 4, 5}}, {{5, 4, 8, 3}}));
    const Tensor after = evaluate(model, batch_of({{3, 4, 5}}, {{5, 4, 6, 7}}));
    // Rows 0 ... 2 have read the begin mark, 5 and 4.
    const auto seen = static_cast<std::size_t>(3 * tiny_vocabulary);
    EXPECT_THAT(after.values().first(seen), ElementsAreArray(before.values().first(seen)));
    EXPECT_THAT(after.values().subspan(seen), Not(ElementsAreArray(before.values().subspan(seen))));
  }
}

TEST(Transformer, sees_every_source_token) {
  TinyModel model(tiny_options());
  const Tensor before = evaluate(model, batch_of({{3, 4, 5}}, {{5}}));
  for (const Sentence& other : {Sentence{8, 4, 5}, {3, 8, 5}, {3, 4, 8}, {3, 5, 4}, {3, 4}}) {
    EXPECT_NE(evaluate(model, batch_of({other}, {{5}})).data()[0], before.data()[0]);
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
