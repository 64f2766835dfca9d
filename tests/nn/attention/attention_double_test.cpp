// Multi-head attention: its first weights, its gradients for queries and keys, recorded attention,
// and heads with given weights.
#include "nn/attention/multi_head_attention.hpp"

#include <tapehead/gtest.hpp>

#include "tests/support/lone_attention.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Glorot and Bengio 2010, equation 16: one matrix (30, 6) for all three has numbers up to √(6 /
// 36), a single (10, 6) up to √(6 / 16).
TEST(MultiHeadAttention, starts_query_key_and_value_as_if_of_one_matrix) {
  for (const AttentionKind kind : {AttentionKind::encoder_self, AttentionKind::cross}) {
    ParameterStore store;
    const AttentionWeights weights(store.root(), tiny_options(),
                                   attention_spec(tiny_options(), kind, 0));
    store.initialize(1);
    for (const NamedParameter& parameter : store.parameters()) {
      const std::string& name = parameter.name;
      if (name == "query.weight" || name == "key.weight" || name == "value.weight") {
        const Tensor values = store.value(parameter);
        const auto [least, most] = std::ranges::minmax(values.values());
        const double largest = std::max(-least, most);
        EXPECT_LE(largest, std::sqrt(6.0 / 36)) << name;
        EXPECT_GE(largest, 0.85 * std::sqrt(6.0 / 36)) << name;  // largest of 60 draws
      }
    }
  }
}

TEST(MultiHeadAttention, gradients_of_two_inputs) {
  const Segments queries = segments_of({2, 1});
  const Segments keys = segments_of({3, 4});
  const LoneAttention cross({}, 2, 6, AttentionKind::cross);
  EXPECT_GRADCHECK(
      [&](Tape& tape, const std::vector<Var>& inputs) {
        Pass pass(tape, cross.store);
        const KeySource from{.segments = keys, .rows = inputs[1]};
        return cross.attention(pass, inputs[0], queries, from).value;
      },
      random_tensor({3, 6}, 2), random_tensor({7, 6}, 3));
}

using Recorded = std::map<std::string, Tensor>;  // by path, segment and head

Recorded record(const TinyModel& model, bool training, Tensor& logits) {
  Recorded recorded;
  Tape tape;
  ParameterGradients gradients(model.store);
  Pass pass = training ? Pass(tape, model.store, gradients, 1, 1) : Pass(tape, model.store);
  pass.recorder = [&recorded](const RecordedAttention& seen) {
    const std::string key = fmt::format("{} {} {}", seen.site.text(), seen.segment, seen.head);
    EXPECT_TRUE(recorded.emplace(key, seen.weights).second) << key << " comes twice";
  };
  logits = logits_of(model.transformer, pass, tiny_batch()).value();
  return recorded;
}

class RecordedWeights : public TestWithParam<bool> {
 protected:
  RecordedWeights() : model_(options()) {
    model_.shake(0.5);
    recorded_ = record(model_, GetParam(), logits_);
  }

  static ModelOptions options() {
    ModelOptions result = tiny_options();
    result.dropout = 0.3;
    result.layers = 2;
    return result;
  }

  TinyModel model_;
  Tensor logits_;
  Recorded recorded_;
};

INSTANTIATE_TEST_SUITE_P(Modes, RecordedWeights, Bool(),
                         [](const auto& test) { return test.param ? "training" : "evaluation"; });

TEST_P(RecordedWeights, are_there_for_every_path_segment_and_head_and_leave_the_outputs) {
  const Batch batch = tiny_batch();
  std::size_t expected = 0;
  for (const char* path :
       {"encoder.layers.0.self", "encoder.layers.1.self", "decoder.layers.0.self",
        "decoder.layers.1.self", "decoder.layers.0.cross", "decoder.layers.1.cross"}) {
    const bool source_queries = path[0] == 'e';
    const bool source_keys = source_queries || std::string(path).ends_with("cross");
    for (Index i = 0; i < batch.sequences(); ++i) {
      const Index sources = batch.context.segments[i].rows;
      const Index targets = batch.input.segments[i].rows;
      for (Index head = 0; head < 2; ++head) {
        const auto found = recorded_.find(fmt::format("{} {} {}", path, i, head));
        ASSERT_NE(found, recorded_.end()) << path;
        EXPECT_EQ(found->second.shape(),
                  Shape({source_queries ? sources : targets, source_keys ? sources : targets}));
        ++expected;
      }
    }
  }
  EXPECT_EQ(recorded_.size(), expected);
  Tape tape;
  ParameterGradients gradients(model_.store);
  Pass pass = GetParam() ? Pass(tape, model_.store, gradients, 1, 1) : Pass(tape, model_.store);
  EXPECT_THAT(logits_of(model_.transformer, pass, batch).value().values(),
              ElementsAreArray(logits_.values()));
}

// Weights before dropout: each row sums to 1, in training too; decoder self-attention is causal.
TEST_P(RecordedWeights, are_distributions) {
  for (const auto& [name, weights] : recorded_) {
    const bool causal = name.starts_with("decoder") && name.find("self") != std::string::npos;
    for (Index i = 0; i < weights.dim(0); ++i) {
      double sum = 0;
      for (Index j = 0; j < weights.dim(1); ++j) {
        sum += weights.row(i)[j];
        EXPECT_EQ(weights.row(i)[j] > 0, !causal || j <= i) << name;
      }
      EXPECT_NEAR(sum, 1, 1e-12) << name;
    }
  }
  EXPECT_NE(recorded_["encoder.layers.0.self 0 0"].data()[0],
            recorded_["encoder.layers.0.self 0 1"].data()[0])
      << "each head has its own";
}

using Given = std::function<Tensor(const Segment& queries, const Segment& keys)>;

// Replaces the weights of these heads.
HeadSubstitute substitute_of(const std::vector<Index>& heads, const Given& given) {
  return [heads, given](const AttentionSite&, Index head, const Segment& queries,
                        const Segment& keys) -> std::optional<HeadAttention> {
    if (std::ranges::count(heads, head) == 0) {
      return {};
    }
    return HeadAttention{.weights = given(queries, keys), .scores = Tensor::zeros({3, 3})};
  };
}

Tensor mostly_first(const Segment&, const Segment&) {
  return Tensor::of({3, 3}, {1, 0, 0, 0.75, 0.25, 0, 0, 0.75, 0.25});
}

// If positions affect only values, a query of zeros gives every key the same weight.
TEST(GivenWeights, that_are_even_do_what_equal_scores_do) {
  AttentionSettings settings;
  settings.positions.values = {AttentionPositions::relative};
  settings.clip.values = {2};
  LoneAttention equal(settings);
  LoneAttention given(settings);
  for (LoneAttention* lone : {&equal, &given}) {
    lone->without_biases();
  }
  equal.set("query.weight", Tensor::zeros({6, 6}));
  const Segments segments = segments_of({4, 3});
  const Tensor x = random_tensor({7, 6}, 2);
  EXPECT_THAT(given(x, segments).values(),
              Not(Pointwise(DoubleNear(1e-3), equal(x, segments).values())));
  given.substitute = substitute_of({0, 1}, [](const Segment& queries, const Segment& keys) {
    return Tensor::full({queries.rows, keys.rows}, 1 / static_cast<Scalar>(keys.rows));
  });
  EXPECT_THAT(given(x, segments).values(),
              Pointwise(DoubleNear(1e-13), equal(x, segments).values()));
}

TEST(GivenWeights, are_recorded_as_the_heads_own_and_have_no_gradients) {
  LoneAttention lone(AttentionSettings{});
  const Segments segments = segments_of({3});
  const Tensor x = random_tensor({3, 6}, 2);
  const auto before = lone.recorded(x, segments);
  lone.substitute = substitute_of({1}, mostly_first);
  const auto after = lone.recorded(x, segments);
  EXPECT_THAT(after[0].weights.values(), ElementsAreArray(before[0].weights.values()));
  EXPECT_THAT(after[0].output.values(), ElementsAreArray(before[0].output.values()));
  EXPECT_THAT(after[1].weights.values(), ElementsAreArray(mostly_first({}, {}).values()));
  EXPECT_THAT(after[1].scores.values(), Each(0));
  EXPECT_THAT(after[1].output.values(), Not(ElementsAreArray(before[1].output.values())));
  EXPECT_THROW(lone.gradient("output.weight", x, segments), std::logic_error);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
