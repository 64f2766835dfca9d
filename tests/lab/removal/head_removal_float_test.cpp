// Removal in single precision, as in the program: equals the larger model with gates at 0.
#include "lab/removal/head_importance.hpp"
#include "tests/support/removal_cases.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double tolerance = 1e-5;  // of the largest logit

const std::vector<HeadName> some{{{AttentionKind::encoder_self, 0}, 1},
                                 {{AttentionKind::encoder_self, 0}, 2},
                                 {{AttentionKind::cross, 1}, 0},
                                 {{AttentionKind::decoder_self, 0}, 3}};

TEST(HeadRemoval, says_what_gated_heads_say_in_single_precision) {
  expect_removed_is_gated({}, some, tolerance);
  expect_removed_is_gated({.kv_heads = {{1}}, .d_v = {{5}}}, some, tolerance);
  expect_removed_is_gated({.positions = {{AttentionPositions::t5}}}, some, tolerance);
  expect_removed_is_gated({.gates = {{HeadGating::l0}}}, some, tolerance);
}

TEST(HeadRemoval, of_closed_heads_changes_nothing_in_single_precision) {
  const Config config = removal_config({.gates = {{HeadGating::l0}}});
  RemovalModel larger(config);
  for (const HeadName& head : some) {
    const auto& attention = attention_of(larger.model.transformer, head);
    larger.model.store.value(*attention.weights.gates.log_alpha).data()[head.head] = -2.4F;
  }
  const std::vector<HeadName> closed = closed_heads(gated_heads(larger.model));
  EXPECT_EQ(closed.size(), some.size());
  expect_same_without(larger, config, closed, larger.logits(), tolerance);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
