// Heads that start identical: their weights and gradients. Also heads that are always copies.
#include "nn/attention/model_rules.hpp"
#include "tests/support/lone_attention.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(AttentionStart, makes_heads_identical) {
  ModelOptions options = tiny_options();
  options.attention.start.values = {HeadStart::identical};
  const TinyModel model(options);
  Index matrices = 0;
  for (const NamedParameter& parameter : model.store.parameters()) {
    const Tensor value = model.store.value(parameter);
    const bool projection = parameter.name.ends_with("query.weight") ||
                            parameter.name.ends_with("key.weight") ||
                            parameter.name.ends_with("value.weight");
    if (projection) {
      ++matrices;
      const auto half = static_cast<std::size_t>(value.size() / 2);
      EXPECT_THAT(value.values().first(half), ElementsAreArray(value.values().last(half)));
      EXPECT_NE(value.data()[0], value.row(1)[0]);
    }
    if (parameter.name.ends_with("output.weight") && parameter.name.starts_with("encoder")) {
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
    const auto half = static_cast<std::size_t>(value.size() / 2);
    EXPECT_THAT(value.values().first(half), ElementsAreArray(value.values().last(half))) << name;
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
  const auto half = static_cast<std::size_t>(gradient.size() / 2);
  EXPECT_THAT(gradient.values().first(half),
              Pointwise(DoubleNear(1e-14), gradient.values().last(half)));
}

struct CopiesCase {
  std::string name;
  bool copies;
  AttentionSettings settings;
  Index heads = 2;

  friend std::ostream& operator<<(std::ostream& out, const CopiesCase& c) { return out << c.name; }
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

class HeadCopies : public TestWithParam<CopiesCase> {};

INSTANTIATE_TEST_SUITE_P(Settings, HeadCopies, ValuesIn(copies_cases()),
                         [](const auto& test) { return test.param.name; });

// heads_are_copies() must be right for random weights, as after training.
TEST_P(HeadCopies, are_told_from_heads_that_differ) {
  const LoneAttention alone(GetParam().settings, GetParam().heads);
  EXPECT_EQ(heads_are_copies(alone.spec), GetParam().copies);
  std::vector<RecordedAttention> seen;
  Tape tape(false);
  Pass pass(tape, alone.store);
  pass.recorder = [&](const RecordedAttention& head) { seen.push_back(head); };
  const Segments segments = segments_of({5});
  alone.attention(pass, tape.constant(random_tensor({5, 6}, 5)), segments, {segments});
  ASSERT_EQ(std::ssize(seen), GetParam().heads);
  const auto same = [&](const Tensor RecordedAttention::* what) {
    return std::ranges::equal((seen.front().*what).values(), (seen.back().*what).values());
  };
  EXPECT_EQ(same(&RecordedAttention::weights), GetParam().copies || GetParam().heads == 1);
  EXPECT_TRUE(!GetParam().copies || same(&RecordedAttention::output));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
