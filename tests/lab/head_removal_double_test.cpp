// Removal: a smaller model says what the larger one says with those heads gated off.
#include "lab/head_removal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

Config config_with(const AttentionSettings& attention) {
  Config config;
  config.model = tiny_options();
  config.model.d_model = 12;
  config.model.heads = 4;
  config.model.d_head.reset();
  config.model.layers = 2;
  config.model.attention = attention;
  return config;
}

struct Made {
  explicit Made(const Config& config) : model(config, tiny_vocabulary, tiny_vocabulary) {
    const Tensor noise = random_tensor({model.store.size()}, 7, -0.3, 0.3);
    std::ranges::transform(model.store.values().values(), noise.values(),
                           model.store.values().values().begin(), std::plus<>());
  }
  Tensor logits() const {
    Tape tape(false);
    Pass pass(tape, model.store);
    return logits_of(model.transformer, pass, tiny_batch()).value();
  }
  Model model;
};

// The smaller model beside the larger one with gates at 0.
void expect_removed_is_gated(const AttentionSettings& attention,
                             const std::vector<HeadName>& removed) {
  const Config config = config_with(attention);
  Made larger(config);
  Config without = config;
  without.model = options_without(config.model, larger.model.transformer, removed);
  Made smaller(without);
  keep_weights(larger.model, removed, smaller.model);
  EXPECT_LT(smaller.model.store.count(), larger.model.store.count());
  EXPECT_EQ(heads_of(smaller.model.transformer).size(),
            heads_of(larger.model.transformer).size() - removed.size());
  const Tensor before = larger.logits();
  const HeadGates gates = gates_on(larger.model, removed);
  for (const auto& gate : gates) {
    gate->set(0);
  }
  const Tensor gated = larger.logits();
  EXPECT_THAT(gated.values(), ::testing::Not(Pointwise(DoubleNear(1e-3), before.values())));
  EXPECT_THAT(smaller.logits().values(), Pointwise(DoubleNear(1e-12), gated.values()));
}

const std::vector<HeadName> some{{"encoder.layers.0.self", 1},
                                 {"encoder.layers.0.self", 2},
                                 {"decoder.layers.1.cross", 0},
                                 {"decoder.layers.0.self", 3}};

std::vector<HeadName> all_of(const std::string& path) {
  return {{path, 0}, {path, 1}, {path, 2}, {path, 3}};
}

TEST(HeadRemoval, SaysWhatGatedHeadsSay) {
  expect_removed_is_gated({}, some);
  expect_removed_is_gated({.head_weights = {{HeadWeights::tied}}}, some);
  expect_removed_is_gated({.sharing = {{Sharing::query_key}}}, some);
  expect_removed_is_gated({.scale = {{ScoreScale::learned}}}, some);
  expect_removed_is_gated({.kv_heads = {{1}}, .d_v = {{5}}}, some);
}

TEST(HeadRemoval, KeepsWhatHeadsKnowOfDistances) {
  for (const auto positions : {AttentionPositions::rotary, AttentionPositions::relative,
                               AttentionPositions::t5, AttentionPositions::transformer_xl}) {
    expect_removed_is_gated({.d_qk = {{4}}, .positions = {{positions}}}, some);
  }
}

TEST(HeadRemoval, KeepsWhatHeadsHaveOfTheirOwn) {
  const AttentionPattern window("window 1");
  expect_removed_is_gated(
      {.score = {{ByHead<Score>{{Score::bilinear, Score::cosine, Score::bilinear, Score::dot}}}},
       .pattern = {{ByHead<AttentionPattern>{{{}, window, window, {}}}}}},
      some);
  expect_removed_is_gated(
      {.score = {{ByHead<Score>{{Score::additive, Score::additive, Score::dot, Score::additive}}}}},
      some);
}

TEST(HeadRemoval, MayLeaveNoHeads) {
  expect_removed_is_gated({}, all_of("decoder.layers.0.cross"));
  expect_removed_is_gated({.kv_heads = {{2}}}, all_of("encoder.layers.1.self"));
}

TEST(HeadRemoval, LeavesGroupsOfOneSize) {
  expect_removed_is_gated({.kv_heads = {{2}}},
                          {{"encoder.layers.1.self", 0}, {"encoder.layers.1.self", 1}});
  expect_removed_is_gated({.kv_heads = {{2}}},
                          {{"encoder.layers.1.self", 0}, {"encoder.layers.1.self", 3}});
}

std::string refusal(const AttentionSettings& attention, const std::vector<HeadName>& removed) {
  const Config config = config_with(attention);
  const Made larger(config);
  return message_of<ConfigError>(
      [&] { options_without(config.model, larger.model.transformer, removed); });
}

TEST(HeadRemoval, RefusesWhatCannotGo) {
  EXPECT_THAT(refusal({.kv_heads = {{2}}}, {{"encoder.layers.1.self", 0}}),
              HasSubstr("unequal groups"));
  EXPECT_THAT(refusal({.input = {{HeadInput::narrow}}}, {{"encoder.layers.1.self", 0}}),
              HasSubstr("a slice of the input"));
  EXPECT_THAT(refusal({.positions = {{AttentionPositions::alibi}}}, {{"encoder.layers.1.self", 0}}),
              HasSubstr("slope follows"));
  EXPECT_THAT(refusal({.combine = {{Combine::mean}}}, {{"encoder.layers.1.self", 0}}),
              HasSubstr("no output projection"));
  EXPECT_THAT(refusal({}, {{"encoder.layers.1.self", 4}}),
              HasSubstr("no head 4 of encoder.layers.1.self"));
}

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
