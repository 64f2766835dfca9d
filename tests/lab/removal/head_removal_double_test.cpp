// A smaller model without some heads gives the same output as the larger model with closed gates.
#include "lab/removal/head_removal.hpp"

#include "lab/removal/head_importance.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/removal_cases.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double removal_tolerance = 1e-12;  // of the largest logit

void expect_removed_is_gated(const AttentionSettings& attention,
                             const std::vector<HeadName>& removed) {
  expect_removed_is_gated(attention, removed, removal_tolerance);
}

const std::vector<HeadName> some{{{AttentionKind::encoder_self, 0}, 1},
                                 {{AttentionKind::encoder_self, 0}, 2},
                                 {{AttentionKind::cross, 1}, 0},
                                 {{AttentionKind::decoder_self, 0}, 3}};

std::vector<HeadName> all_of(AttentionSite site) {
  return {{site, 0}, {site, 1}, {site, 2}, {site, 3}};
}

TEST(HeadRemoval, says_what_gated_heads_say) {
  expect_removed_is_gated({}, some);
  expect_removed_is_gated({.head_weights = {{HeadWeights::tied}}}, some);
  expect_removed_is_gated({.sharing = {{Sharing::query_key}}}, some);
  expect_removed_is_gated({.scale = {{ScoreScale::learned}}}, some);
  expect_removed_is_gated({.kv_heads = {{1}}, .d_v = {{5}}}, some);
}

TEST(HeadRemoval, keeps_what_heads_know_of_distances) {
  for (const auto positions : {AttentionPositions::rotary, AttentionPositions::relative,
                               AttentionPositions::t5, AttentionPositions::transformer_xl}) {
    expect_removed_is_gated({.d_qk = {{4}}, .positions = {{positions}}}, some);
  }
}

TEST(HeadRemoval, keeps_what_heads_have_of_their_own) {
  const AttentionPattern window("window 1");
  expect_removed_is_gated(
      {.score = {{ByHead<Score>{{Score::bilinear, Score::cosine, Score::bilinear, Score::dot}}}},
       .pattern = {{ByHead<AttentionPattern>{{{}, window, window, {}}}}}},
      some);
  expect_removed_is_gated(
      {.score = {{ByHead<Score>{{Score::additive, Score::additive, Score::dot, Score::additive}}}}},
      some);
}

// Also removes all heads of an attention, which then adds nothing.
TEST(HeadRemoval, works_without_biases_and_feed_forward_blocks) {
  Config config = removal_config({});
  config.model.bias_attention = false;
  config.model.feed_forward = FeedForwardKind::none;
  expect_removed_is_gated_in(config, some, removal_tolerance);
  expect_removed_is_gated_in(config, all_of({AttentionKind::decoder_self, 1}), removal_tolerance);
}

TEST(HeadRemoval, keeps_the_gates_that_are_left) {
  expect_removed_is_gated({.gates = {{HeadGating::l0}}}, some);
  expect_removed_is_gated({.kv_heads = {{1}}, .gates = {{HeadGating::l0, HeadGating::none}}}, some);
}

// Removes heads whose trained gates are closed, without setting gates to 0.
TEST(HeadRemoval, of_closed_heads_changes_nothing) {
  const Config config = removal_config({.gates = {{HeadGating::l0}}});
  RemovalModel larger(config);
  for (const HeadName& head : some) {
    const auto& attention = attention_of(larger.model.transformer, head);
    larger.model.store.value(*attention.weights.gates.log_alpha).data()[head.head] = -2.4;
  }
  const std::vector<HeadName> closed = closed_heads(gated_heads(larger.model));
  ASSERT_EQ(closed.size(), some.size());
  for (const HeadName& head : closed) {
    EXPECT_TRUE(std::ranges::any_of(some, [&](const HeadName& one) { return one == head; }))
        << head.site.text();
  }
  expect_same_without(larger, config, closed, larger.logits(), removal_tolerance);
}

TEST(HeadRemoval, may_leave_no_heads) {
  expect_removed_is_gated({}, all_of({AttentionKind::cross, 0}));
  expect_removed_is_gated({.kv_heads = {{2}}}, all_of({AttentionKind::encoder_self, 1}));
}

TEST(HeadRemoval, leaves_groups_of_one_size) {
  expect_removed_is_gated({.kv_heads = {{2}}}, {{{AttentionKind::encoder_self, 1}, 0},
                                                {{AttentionKind::encoder_self, 1}, 1}});
  expect_removed_is_gated({.kv_heads = {{2}}}, {{{AttentionKind::encoder_self, 1}, 0},
                                                {{AttentionKind::encoder_self, 1}, 3}});
}

std::string refusal(const AttentionSettings& attention, const std::vector<HeadName>& removed) {
  const Config config = removal_config(attention);
  const RemovalModel larger(config);
  return message_of<ConfigError>(
      [&] { options_without(config.model, larger.model.transformer, removed); });
}

TEST(HeadRemoval, refuses_what_cannot_go) {
  EXPECT_THAT(refusal({.kv_heads = {{2}}}, {{{AttentionKind::encoder_self, 1}, 0}}),
              HasSubstr("unequal groups"));
  EXPECT_THAT(refusal({.input = {{HeadInput::narrow}}}, {{{AttentionKind::encoder_self, 1}, 0}}),
              HasSubstr("a slice of the input"));
  EXPECT_THAT(refusal({.positions = {{AttentionPositions::alibi}}},
                      {{{AttentionKind::encoder_self, 1}, 0}}),
              HasSubstr("slope depends"));
  EXPECT_THAT(refusal({.combine = {{Combine::mean}}}, {{{AttentionKind::encoder_self, 1}, 0}}),
              HasSubstr("no output projection"));
  EXPECT_THAT(refusal({.shared_as = {{"all"}}, .gates = {{HeadGating::l0}}},
                      {{{AttentionKind::encoder_self, 1}, 0}}),
              HasSubstr("other attentions share their weights"));
  EXPECT_THAT(refusal({}, {{{AttentionKind::encoder_self, 1}, 4}}),
              HasSubstr("no head 4 of encoder.layers.1.self"));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
