// Gates on heads: their effect on the logits, and their slope of the loss.
#include "lab/removal/head_importance.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/small_copy.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

class HeadImportanceTest : public Test {
 protected:
  SmallCopy copy_;
};

TEST_F(HeadImportanceTest, a_gate_leaves_the_weights_as_they_were) {
  const Tensor before = copy_.model.store.values().copy();
  const Tensor logits_before = copy_.logits();
  {
    HeadGate gate(copy_.model, {{AttentionKind::cross, 0}, 1});
    gate.set(0);
    EXPECT_THAT(copy_.logits().values(), Not(Pointwise(DoubleNear(1e-6), logits_before.values())));
    gate.set(0.5);
  }
  EXPECT_THAT(copy_.model.store.values().values(), ElementsAreArray(before.values()));
}

// Without a head, its query, key and value weights have no effect.
TEST_F(HeadImportanceTest, a_head_gated_off_says_nothing) {
  HeadGate gate(copy_.model, {{AttentionKind::encoder_self, 0}, 0});
  gate.set(0);
  const Tensor off = copy_.logits();
  for (const NamedParameter& parameter : copy_.model.store.parameters()) {
    if (parameter.name.starts_with("encoder.layers.0.self.value.weight")) {
      Tensor value = copy_.model.store.value(parameter);
      std::ranges::fill(value.values().first(value.values().size() / SmallCopy::heads), 7.0);
    }
  }
  EXPECT_THAT(copy_.logits().values(), Pointwise(DoubleNear(1e-12), off.values()));
}

TEST_F(HeadImportanceTest, is_the_finite_difference_of_the_gate) {
  Workers workers(2);
  const Importance found =
      head_importance(copy_.model, copy_.config, copy_.task, copy_.split, workers);
  ASSERT_EQ(found.heads.size(), 6U);  // two heads in each of three attentions
  for (const HeadImportance& head : found.heads) {
    SCOPED_TRACE(head.head.site.text());
    HeadGate gate(copy_.model, head.head);
    constexpr double step = 1e-5;
    double expected = 0;
    for (Index example = 0; example < 6; ++example) {
      gate.set(1 + step);
      const double above = copy_.sentence_loss(example);
      gate.set(1 - step);
      expected += std::abs(above - copy_.sentence_loss(example)) / (2 * step) / 6;
    }
    EXPECT_NEAR(head.slope, expected, 1e-8);
    EXPECT_GT(head.slope, 1e-6);
  }
}

TEST_F(HeadImportanceTest, says_the_loss_without_each_head) {
  Workers workers(1);
  const Importance found =
      head_importance(copy_.model, copy_.config, copy_.task, copy_.split, workers);
  EXPECT_EQ(found.loss, copy_.loss(workers));
  for (const HeadImportance& head : found.heads) {
    HeadGate gate(copy_.model, head.head);
    gate.set(0);
    EXPECT_EQ(head.loss_without, copy_.loss(workers));
    EXPECT_NE(head.loss_without, found.loss);
  }
}

TEST_F(HeadImportanceTest, says_the_loss_with_each_head_alone_in_its_attention) {
  Workers workers(1);
  const Tensor before = copy_.model.store.values().copy();
  const Importance found =
      head_importance(copy_.model, copy_.config, copy_.task, copy_.split, workers);
  EXPECT_THAT(copy_.model.store.values().values(), ElementsAreArray(before.values()));
  for (const HeadImportance& head : found.heads) {
    SCOPED_TRACE(head.head.site.text());
    HeadGate other(copy_.model, {head.head.site, 1 - head.head.head});
    other.set(0);
    EXPECT_EQ(head.loss_alone, copy_.loss(workers));
    EXPECT_NE(head.loss_alone, found.loss);
  }
}

TEST_F(HeadImportanceTest, says_the_same_at_any_number_of_threads) {
  Workers one(1);
  Workers three(3);
  const Importance a = head_importance(copy_.model, copy_.config, copy_.task, copy_.split, one);
  const Importance b = head_importance(copy_.model, copy_.config, copy_.task, copy_.split, three);
  for (std::size_t i = 0; i < a.heads.size(); ++i) {
    EXPECT_EQ(a.heads[i].slope, b.heads[i].slope);
    EXPECT_EQ(a.heads[i].loss_without, b.heads[i].loss_without);
    EXPECT_EQ(a.heads[i].loss_alone, b.heads[i].loss_alone);
  }
}

// A gate on a head with its own gate z multiplies z, so its slope is z dL/dz.
TEST(GatedHeadImportance, is_the_slope_of_the_heads_own_gate) {
  SmallCopy copy({.gates = {{HeadGating::l0}}});
  constexpr double log_alpha = 0.4;
  for (const NamedParameter& parameter : copy.model.store.parameters()) {
    if (parameter.name.ends_with(".gates")) {
      std::ranges::fill(copy.model.store.value(parameter).values(), log_alpha);
    }
  }
  const Batch sentence = pack(*copy.split.source, {0});
  ParameterGradients gradients(copy.model.store);
  Tape tape;
  Pass pass(tape, copy.model.store, gradients);
  tape.backward(batch_loss(copy.model.transformer, pass, sentence).loss);
  // z = 1.2 s - 0.1 with s = σ(log_alpha): Louizos et al. 2018, equation 13.
  const double s = 1 / (1 + std::exp(-log_alpha));
  const double z = 1.2 * s - 0.1;
  for (const HeadName& head : heads_of(copy.model.transformer)) {
    const auto& own = attention_of(copy.model.transformer, head).weights.gates.log_alpha;
    const double slope = gradients.data(own->block)[head.head] / (1.2 * s * (1 - s));
    EXPECT_GT(std::abs(slope), 1e-6);
    EXPECT_NEAR(HeadGate(copy.model, head).slope(gradients), z * slope, 1e-12);
  }
}

// One attention has no output projection; the remaining attentions are measured as usual.
TEST(MixedHeadImportance, leaves_out_what_has_no_gates_and_says_why) {
  for (const AttentionSettings& without :
       {AttentionSettings{.combine = {{Combine::mean}}},
        AttentionSettings{.combine = {{Combine::concatenate}}}}) {
    Config config = SmallCopy::options({});
    config.model.cross = without;
    SmallCopy copy(config);
    Workers workers(2);
    const Importance found =
        head_importance(copy.model, copy.config, copy.task, copy.split, workers);
    ASSERT_EQ(found.heads.size(), 4U);
    for (const HeadImportance& head : found.heads) {
      EXPECT_NE(head.head.site.text(), "decoder.layers.0.cross");
      HeadGate gate(copy.model, head.head);
      gate.set(0);
      EXPECT_EQ(head.loss_without, copy.loss(workers));
    }
    ASSERT_EQ(found.ungated.size(), 1U);
    EXPECT_EQ(found.ungated[0].heads, SmallCopy::heads);
    EXPECT_THAT(fixed_text(found.ungated),
                AllOf(HasSubstr("decoder.layers.0.cross: "), HasSubstr("combine is not output")));
    const PruningCurve curve =
        prune_heads(copy.model, copy.config, copy.task, copy.split, 100, workers);
    EXPECT_EQ(curve.steps.size(), 4U);
    EXPECT_EQ(curve.ungated.size(), 1U);
  }
}

TEST_F(HeadImportanceTest, of_a_head_that_there_is_not_is_refused) {
  EXPECT_THAT(message_of<ConfigError>(
                  [&] { HeadGate(copy_.model, {{AttentionKind::encoder_self, 0}, 2}); }),
              AllOf(HasSubstr("no head 2 of encoder.layers.0.self"),
                    HasSubstr("encoder.layers.0.self (2)"), HasSubstr("decoder.layers.0.cross")));
  EXPECT_THAT(message_of<ConfigError>([&] { head_named(copy_.model.transformer, "nowhere", 0); }),
              HasSubstr("no head 0 of nowhere"));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
