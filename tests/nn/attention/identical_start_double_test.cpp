// Heads that start identical: their weights and gradients. Also heads that are always copies.
#include "nn/attention/model_rules.hpp"
#include "tests/support/lone_attention.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

auto first_half(const Tensor& value) { return value.values().first(value.values().size() / 2); }
auto last_half(const Tensor& value) { return value.values().last(value.values().size() / 2); }

TEST(AttentionStart, makes_heads_identical) {
  ModelOptions options = tiny_options();
  options.attention.start.values = {HeadStart::identical};
  const TinyModel model(options);
  Index matrices = 0;
  for (const NamedParameter& parameter : model.store.parameters()) {
    const std::string_view name = parameter.name;
    const Tensor value = model.store.value(parameter);
    if (name.ends_with("query.weight") || name.ends_with("key.weight") ||
        name.ends_with("value.weight")) {
      ++matrices;
      EXPECT_THAT(first_half(value), ElementsAreArray(last_half(value)));
      EXPECT_NE(value.data()[0], value.row(1)[0]);
    }
    if (name.ends_with("output.weight") && name.starts_with("encoder")) {
      ++matrices;
      for (Index i = 0; i < value.dim(0); ++i) {
        EXPECT_EQ(value.row(i)[0], value.row(i)[5]);  // d_v = 5
        EXPECT_NE(value.row(i)[0], value.row(i)[1]);
      }
    }
  }
  EXPECT_EQ(matrices, 10);  // three per attention for three attentions, and the encoder's output
}

// Score and distance parameters of the heads start equal too.
TEST(AttentionStart, makes_what_heads_know_identical) {
  const auto expect_equal_halves = [](const AttentionSettings& settings, const std::string& name) {
    LoneAttention alone(settings);
    alone.store.initialize(1);
    const Tensor value = alone.value(name);
    EXPECT_THAT(first_half(value), ElementsAreArray(last_half(value))) << name;
    EXPECT_NE(value.data()[0], value.data()[1]) << name;
  };
  const Layered<HeadStart> identical{{HeadStart::identical}};
  expect_equal_halves({.score = {{{{Score::bilinear}}}}, .start = identical}, "score.weight");
  expect_equal_halves({.score = {{{{Score::additive}}}}, .start = identical}, "score.vector");
  expect_equal_halves({.positions = {{AttentionPositions::t5}}, .start = identical},
                      "distance.score");
  expect_equal_halves({.positions = {{AttentionPositions::transformer_xl}}, .start = identical},
                      "distance.weight");
}

// The biases u and v of Dai et al. 2019.
TEST(AttentionStart, gives_queries_no_bias_towards_contents_or_places) {
  LoneAttention alone({.positions = {{AttentionPositions::transformer_xl}}});
  alone.store.initialize(1);
  for (const char* name : {"distance.content", "distance.place"}) {
    EXPECT_THAT(alone.value(name).values(), Each(0)) << name;
  }
}

// Identical heads stay identical without dropout, as long as their output blocks are equal too.
TEST(AttentionStart, identical_heads_have_identical_gradients) {
  LoneAttention alone({.start = {{HeadStart::identical}}});
  alone.store.initialize(1);
  const Tensor gradient =
      alone.gradient("query.weight", random_tensor({8, 6}, 4), segments_of({5, 3}));
  EXPECT_THAT(first_half(gradient), Pointwise(DoubleNear(1e-14), last_half(gradient)));
}

struct CopiesCase {
  std::string name;
  bool copies;
  AttentionSettings settings;
  Index heads = 2;
};

std::vector<CopiesCase> copies_cases() {
  const Layered<Sharing> identity{{Sharing::identity}};
  const Layered<HeadWeights> tied{{HeadWeights::tied}};
  const Layered<HeadInput> narrow{{HeadInput::narrow}};
  const auto with = [&](AttentionPositions positions) {
    return AttentionSettings{.sharing = identity, .positions = {{positions}}};
  };
  const auto looking = [&](const char* first, const char* second) {
    return AttentionSettings{.sharing = identity,
                             .pattern = {{{{AttentionPattern(first), AttentionPattern(second)}}}}};
  };
  return {
      {"identity", true, {.sharing = identity}},
      {"one_head", false, {.sharing = identity}, 1},
      {"own_columns", false, {.sharing = identity, .input = narrow}},
      {"own_weights", false, {}},
      {"tied", true, {.head_weights = tied}},
      {"tied_own_columns", false, {.head_weights = tied, .input = narrow}},
      {"tied_own_matrix", false, {.head_weights = tied, .score = {{{{Score::bilinear}}}}}},
      {"tied_own_vector", false, {.head_weights = tied, .score = {{{{Score::additive}}}}}},
      {"tied_own_scale", false, {.head_weights = tied, .scale = {{ScoreScale::learned}}}},
      {"cosine", true, {.sharing = identity, .score = {{{{Score::cosine}}}}}},
      {"own_score", false, {.sharing = identity, .score = {{{{Score::dot, Score::cosine}}}}}},
      {"own_pattern", false, looking("full", "window 1")},
      {"one_pattern_twice", true, looking("window 1", "window 1")},
      {"rotary", true, with(AttentionPositions::rotary)},
      {"relative", true, with(AttentionPositions::relative)},
      {"relative_keys", true, with(AttentionPositions::relative_keys)},
      {"transformer_xl", false, with(AttentionPositions::transformer_xl)},
      {"t5", false, with(AttentionPositions::t5)},
      {"alibi", false, with(AttentionPositions::alibi)},
      {"gates", true, {.sharing = identity, .gates = {{HeadGating::l0}}}},
      {"own_keys", false, {.sharing = {{Sharing::identity_query}}}},
      {"one_key", true, {.kv_heads = {{1}}, .sharing = {{Sharing::identity_query}}}},
  };
}

// heads_are_copies() must be right for random weights, as after training.
TEST(HeadCopies, are_told_from_heads_that_differ) {
  for (const auto& [name, copies, settings, heads] : copies_cases()) {
    SCOPED_TRACE(name);
    const LoneAttention alone(settings, heads);
    EXPECT_EQ(heads_are_copies(alone.spec), copies);
    const auto seen = alone.recorded(random_tensor({5, 6}, 5), segments_of({5}));
    ASSERT_EQ(std::ssize(seen), heads);
    const auto same = [&](const Tensor RecordedAttention::* what) {
      return std::ranges::equal((seen.front().*what).values(), (seen.back().*what).values());
    };
    EXPECT_EQ(same(&RecordedAttention::weights), copies || heads == 1);
    EXPECT_TRUE(!copies || same(&RecordedAttention::output));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
