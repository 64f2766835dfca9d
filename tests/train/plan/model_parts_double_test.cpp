// The closed forms of a model's parts compared with the model itself.
#include "train/plan/model_parts.hpp"

#include "datasets/pairs.hpp"
#include "tests/support/attention_parameters.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"
#include "train/experiment.hpp"

namespace tapehead { namespace {

struct Case {
  std::string name;
  std::vector<std::string> set;
};
std::ostream& operator<<(std::ostream& out, const Case& of) { return out << of.name; }

constexpr Index source_vocabulary = 17;
constexpr Index target_vocabulary = 13;

std::shared_ptr<const Source> ragged_pairs() {
  Examples pairs;
  for (const auto& [source, target] :
       std::vector<std::pair<std::size_t, std::size_t>>{{2, 3}, {5, 1}, {4, 4}, {7, 2}}) {
    pairs.push_back(
        {.source = std::vector<TokenId>(source, 3), .target = std::vector<TokenId>(target, 3)});
  }
  return pair_source(std::move(pairs), {});
}

class ModelParts : public TestWithParam<Case> {};

// The parameters of all parts of a kind, such as "norms", over all layers; "": of all parts.
Index parameters_of(const std::vector<ModelPart>& parts, const std::string& kind) {
  Index sum = 0;
  for (const ModelPart& part : parts) {
    sum += part.name.starts_with(kind) ? part.parameters : 0;
  }
  return sum;
}

// Closed form. Attentions with the same name, and layers of one group, count their weights once.
// The arithmetic is that of a step.
TEST_P(ModelParts, have_the_parameters_of_the_model) {
  constexpr const char* small = "model: {d_model: 12, heads: 3, layers: 2, d_ff: 7}\n";
  const ModelOptions options = parse_config(small, "a.yaml", GetParam().set).config.model;
  ParameterStore store;
  const Transformer model(store.root(), options, source_vocabulary, target_vocabulary);
  const auto parts = model_parts(model, store, {});
  const Index D = options.d_model;
  const Index E = options.embedding_width();
  const auto groups = [&](AttentionKind kind) {
    const Index layers = attention_layers(options, kind);
    return std::min(options.layer_groups.value_or(layers), layers);
  };
  const Index encoder = groups(AttentionKind::encoder_self);
  const Index decoder = groups(AttentionKind::decoder_self);
  const Index F = options.feed_forward_width();
  const bool some = options.feed_forward != FeedForwardKind::none;
  const Index inner = options.feed_forward == FeedForwardKind::gated ? 2 : 1;
  const Index biases = some && options.bias_feed_forward ? inner * F + D : 0;
  const Index feed_forward = (inner + 1) * D * F + biases;
  EXPECT_EQ(parameters_of(parts, "encoder feed-forward"), encoder * feed_forward);
  EXPECT_EQ(parameters_of(parts, "decoder feed-forward"), decoder * feed_forward);
  const Index norms = encoder + 2 * decoder + (some ? encoder + decoder : 0) +
                      (options.norm_position == NormPosition::pre ? 2 : 0);
  const bool norm_biases = options.norm == NormKind::layer_norm && options.bias_norm;
  EXPECT_EQ(parameters_of(parts, "norms"), norms * D * (norm_biases ? 2 : 1));
  const Index added = (options.positions == PositionKind::learned ? options.max_positions * E : 0) +
                      options.token_types * E + (options.embedding_norm ? 2 * E : 0) +
                      (E != D ? E * D + D : 0);
  const bool one_table = ties_source(options.tie_embeddings);
  EXPECT_EQ(parameters_of(parts, "source embedding"),
            added + (one_table ? 0 : source_vocabulary * E));
  EXPECT_EQ(parameters_of(parts, "target embedding"),
            added + (one_table ? source_vocabulary : target_vocabulary) * E);
  EXPECT_EQ(std::ranges::count(parts, "target embedding, also the source's", &ModelPart::name),
            one_table ? 1 : 0);
  const bool masked = options.head_transform == HeadTransform::masked;
  const bool pooler = options.head_transform == HeadTransform::pooler;
  EXPECT_EQ(parameters_of(parts, "head transform"),
            masked ? E * D + 3 * E : (pooler ? D * D + D : 0));
  EXPECT_EQ(parameters_of(parts, "output layer"),
            (ties_output(options.tie_embeddings) ? 0 : target_vocabulary * (masked ? E : D)) +
                (options.bias_output ? target_vocabulary : 0));
  constexpr std::array titles{"encoder self-attention", "decoder self-attention",
                              "cross-attention"};
  std::set<std::string> shared;
  for (const AttentionKind kind : attention_kinds) {
    Index expected = 0;
    for (Index group = 0; group < groups(kind); ++group) {
      const AttentionSpec spec = attention_spec(options, kind, group);
      const bool first = spec.shared_as.empty() || shared.insert(spec.shared_as).second;
      expected += first ? attention_parameters(spec) : 0;
    }
    EXPECT_EQ(parameters_of(parts, titles[static_cast<std::size_t>(kind)]), expected);
  }
  EXPECT_EQ(parameters_of(parts, ""), store.count());
  const StepRows rows = rows_of(pack(*ragged_pairs(), {0, 1, 2, 3}));
  double sum = 0;
  for (const ModelPart& part : model_parts(model, store, rows)) {
    sum += part.multiply_adds;
  }
  EXPECT_DOUBLE_EQ(2 * sum, step_flops(options, target_vocabulary, rows, CountedPairs::allowed));
}

INSTANTIATE_TEST_SUITE_P(
    Models, ModelParts,
    Values(Case{"plain", {}}, Case{"post_rms", {"model.norm_position=post", "model.norm=rms_norm"}},
           Case{"tied", {"model.tie_embeddings=all"}},
           Case{"output_bias", {"model.bias_output=true"}},
           Case{"tied_with_output_bias", {"model.tie_embeddings=all", "model.bias_output=true"}},
           Case{"gated", {"model.feed_forward=gated"}},
           Case{"without_feed_forward", {"model.feed_forward=none"}},
           Case{"without_biases",
                {"model.bias_attention=false", "model.bias_feed_forward=false",
                 "model.bias_norm=false"}},
           Case{"tied_sides", {"model.tie_embeddings=source_target", "model.positions=learned"}},
           Case{"decoder_alone", {"model.encoder_layers=0", "model.decoder_layers=3"}},
           Case{"layers_differ", {"encoder_self.heads=[2, 3]", "decoder_self.d_qk=[4, 5]"}},
           Case{"types_and_embedding_norm",
                {"model.token_types=3", "model.embedding_norm=true", "model.positions=learned"}},
           Case{"factored_embedding", {"model.d_embedding=5"}},
           Case{"pooler", {"model.head_transform=pooler"}},
           Case{"masked_and_factored",
                {"model.head_transform=masked", "model.d_embedding=5", "model.tie_embeddings=all"}},
           Case{"one_group_of_layers", {"model.layers=4", "model.layer_groups=1"}},
           Case{"groups_of_layers", {"model.layers=5", "model.layer_groups=2"}},
           Case{"patterns",
                {"encoder_self.pattern=[window 1, blocks 2, full]",
                 "decoder_self.pattern=strided 2", "cross.pattern=top_k 2"}},
           Case{"shared_weights", {"encoder_self.shared_as=one", "decoder_self.shared_as=two"}},
           Case{"relative",
                {"attention.score=bilinear", "attention.kv_heads=1",
                 "encoder_self.positions=relative"}}),
    [](const auto& test) { return test.param.name; });

// The steps of an epoch cover every example.
TEST(StepRows, mean_ones_are_the_sum_of_the_batches_over_the_steps) {
  const auto source = ragged_pairs();
  StepRows sum = rows_of(pack(*source, {0, 3}));
  sum.add(rows_of(pack(*source, {1, 2})));
  StepRows twice;
  twice.add(mean_rows(*source, 2), 2);
  EXPECT_DOUBLE_EQ(twice.source, sum.source);
  EXPECT_DOUBLE_EQ(twice.target, sum.target);
  EXPECT_EQ(twice.source_sizes, sum.source_sizes);
  EXPECT_EQ(twice.target_sizes, sum.target_sizes);
  EXPECT_EQ(twice.cross_sizes, sum.cross_sizes);
}

}}  // namespace tapehead
