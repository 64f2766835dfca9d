// A smaller model without some heads gives the same output as the larger model with closed gates.
#include "lab/removal/head_removal.hpp"

#include "lab/removal/head_importance.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/removal_cases.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double removal_tolerance = 1e-12;  // of the largest logit

void expect_removed_is_gated(const AttentionSettings& attention, const HeadNames& removed) {
  expect_removed_is_gated(attention, removed, removal_tolerance);
}

const HeadNames some{{{AttentionKind::encoder_self, 0}, 1},
                     {{AttentionKind::encoder_self, 0}, 2},
                     {{AttentionKind::cross, 1}, 0},
                     {{AttentionKind::decoder_self, 0}, 3}};

HeadNames all_of(AttentionSite site) { return {{site, 0}, {site, 1}, {site, 2}, {site, 3}}; }

TEST(HeadRemoval, says_what_gated_heads_say) {
  expect_removed_is_gated({}, some);
  expect_removed_is_gated({.head_weights = {{HeadWeights::tied}}}, some);
  expect_removed_is_gated({.sharing = {{Sharing::query_key}}}, some);
  expect_removed_is_gated({.scale = {{ScoreScale::learned}}}, some);
  expect_removed_is_gated({.kv_heads = {{1}}, .d_v = {{5}}}, some);
  expect_removed_is_gated({.gates = {{HeadGating::l0}}}, some);
  expect_removed_is_gated({.kv_heads = {{1}}, .gates = {{HeadGating::l0, HeadGating::none}}}, some);
  for (const auto positions : {AttentionPositions::rotary, AttentionPositions::relative,
                               AttentionPositions::t5, AttentionPositions::transformer_xl}) {
    expect_removed_is_gated({.d_qk = {{4}}, .positions = {{positions}}}, some);
  }
  const AttentionPattern window("window 1");
  expect_removed_is_gated(
      {.score = {{ByHead<Score>{{Score::bilinear, Score::cosine, Score::bilinear, Score::dot}}}},
       .pattern = {{ByHead<AttentionPattern>{{{}, window, window, {}}}}}},
      some);
  expect_removed_is_gated(
      {.score = {{ByHead<Score>{{Score::additive, Score::additive, Score::dot, Score::additive}}}}},
      some);
}

// An attention without heads adds nothing.
TEST(HeadRemoval, may_leave_no_heads_and_groups_of_one_size) {
  constexpr AttentionSite grouped{AttentionKind::encoder_self, 1};
  expect_removed_is_gated({}, all_of({AttentionKind::cross, 0}));
  expect_removed_is_gated({.kv_heads = {{2}}}, all_of(grouped));
  expect_removed_is_gated({.kv_heads = {{2}}}, {{grouped, 0}, {grouped, 1}});
  expect_removed_is_gated({.kv_heads = {{2}}}, {{grouped, 0}, {grouped, 3}});
  Config config = removal_config({});
  config.model.bias_attention = false;
  config.model.feed_forward = FeedForwardKind::none;
  expect_removed_is_gated_in(config, some, removal_tolerance);
  expect_removed_is_gated_in(config, all_of({AttentionKind::decoder_self, 1}), removal_tolerance);
}

// A settled gate is 0 for log_alpha <= -log 11 = -2.3979. Removes heads whose trained gates are
// closed, without setting gates to 0.
TEST(HeadRemoval, of_closed_heads_changes_nothing) {
  const Config config = removal_config({.gates = {{HeadGating::l0}}});
  RemovalModel larger(config);
  const auto set_gate = [&](const HeadName& head, Scalar log_alpha) {
    const auto& attention = attention_of(larger.model.transformer, head);
    larger.model.store.value(attention.weights.gates.log_alpha).data()[head.head] = log_alpha;
  };
  for (const HeadName& head : some) {
    set_gate(head, -2.4);
  }
  const HeadName little{{AttentionKind::cross, 0}, 0};
  set_gate(little, -2.39);
  std::size_t open = 0;
  for (const GatedHead& gated : gated_heads(larger.model)) {
    const bool closed = std::ranges::count(some, gated.head) > 0;
    EXPECT_EQ(gated.gate == 0, closed) << gated.head.text();
    open += closed ? 0 : 1;
    if (gated.head == little) {
      EXPECT_GT(gated.gate, 0);
      EXPECT_LT(gated.gate, 0.001);
    }
  }
  EXPECT_EQ(open + some.size(), heads_of(larger.model.transformer).size());
  const HeadNames closed = closed_heads(gated_heads(larger.model));
  EXPECT_THAT(closed, UnorderedElementsAreArray(some));
  expect_same_without(larger, config, closed, larger.logits(), removal_tolerance);
}

TEST(HeadRemoval, refuses_what_cannot_go) {
  struct Refused {
    AttentionSettings attention;
    std::string error;
    Index head = 0;
  };
  for (const auto& [attention, error, head] :
       {Refused{{.kv_heads = {{2}}}, "unequal groups"},
        {{.input = {{HeadInput::narrow}}}, "a slice of the input"},
        {{.positions = {{AttentionPositions::alibi}}}, "slope depends"},
        {{.combine = {{Combine::mean}}}, "no output projection"},
        {{.shared_as = {{"all"}}, .gates = {{HeadGating::l0}}},
         "other attentions share their weights"},
        {{}, "no head 4 of encoder.layers.1.self", 4}}) {
    const Config config = removal_config(attention);
    const RemovalModel larger(config);
    const HeadNames removed{{{AttentionKind::encoder_self, 1}, head}};
    EXPECT_THAT([&] { options_without(config.model, larger.model.transformer, removed); },
                throws<ConfigError>(error));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
