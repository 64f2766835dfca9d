// Gates on heads: their effect on the logits, and their slope of the loss; removal one by one.
#include "lab/removal/head_importance.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/small_copy.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

class HeadImportanceTest : public Test {
 protected:
  Importance importance(Workers& workers) {
    return head_importance(copy_.model, copy_.config, copy_.task, copy_.split, workers);
  }

  PruningCurve prune(Workers& workers) {
    constexpr Index all_examples = 100;
    return prune_heads(copy_.model, copy_.config, copy_.task, copy_.split, all_examples, workers);
  }

  SmallCopy copy_;
};

TEST_F(HeadImportanceTest, a_gate_leaves_the_weights_as_they_were_and_needs_a_head) {
  const Tensor before = copy_.model.store.values().copy();
  const Tensor logits_before = copy_.logits();
  {
    HeadGate other(copy_.model, {{AttentionKind::cross, 0}, 1});
    other.set(0);
    EXPECT_THAT(copy_.logits().values(), Not(Pointwise(DoubleNear(1e-6), logits_before.values())));
    other.set(0.5);
  }
  EXPECT_THAT(copy_.model.store.values().values(), ElementsAreArray(before.values()));

  // Without a head, its query, key and value weights have no effect.
  HeadGate gate(copy_.model, {{AttentionKind::encoder_self, 0}, 0});
  gate.set(0);
  const Tensor off = copy_.logits();
  Tensor value = values_of(copy_.model.store, "encoder.layers.0.self.value.weight");
  std::ranges::fill(value.values().first(value.values().size() / SmallCopy::heads), 7.0);
  EXPECT_THAT(copy_.logits().values(), Pointwise(DoubleNear(1e-12), off.values()));
  EXPECT_THAT([&] { HeadGate(copy_.model, {{AttentionKind::encoder_self, 0}, 2}); },
              throws<ConfigError>("no head 2 of encoder.layers.0.self", "encoder.layers.0.self (2)",
                                  "decoder.layers.0.cross"));
  EXPECT_THAT([&] { head_named(copy_.model.transformer, "nowhere", 0); },
              throws<ConfigError>("no head 0 of nowhere"));
}

TEST_F(HeadImportanceTest,
       has_the_slope_of_the_gate_and_the_loss_without_each_head_and_with_it_alone) {
  Workers workers(2);
  const Tensor before = copy_.model.store.values().copy();
  const Importance found = importance(workers);
  EXPECT_THAT(copy_.model.store.values().values(), ElementsAreArray(before.values()));
  EXPECT_EQ(found.loss, copy_.loss(workers));
  const auto loss_without = [&](const HeadName& head) {
    HeadGate gate(copy_.model, head);
    gate.set(0);
    return copy_.loss(workers);
  };
  ASSERT_EQ(found.heads.size(), 6U);  // two heads in each of three attentions
  for (const HeadImportance& head : found.heads) {
    SCOPED_TRACE(head.head.site.text());
    EXPECT_EQ(head.loss_without, loss_without(head.head));
    EXPECT_NE(head.loss_without, found.loss);
    EXPECT_EQ(head.loss_alone, loss_without({head.head.site, 1 - head.head.head}));
    EXPECT_NE(head.loss_alone, found.loss);
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

// Step by step by hand: the remaining head with the smallest slope is removed.
TEST_F(HeadImportanceTest, pruning_takes_the_least_important_of_those_that_are_left) {
  const Tensor before = copy_.model.store.values().copy();
  Workers workers(1);
  const PruningCurve curve = prune(workers);
  EXPECT_EQ(curve.steps.size(), 6U);
  EXPECT_EQ(curve.loss, copy_.loss(workers));
  EXPECT_THAT(copy_.model.store.values().values(), ElementsAreArray(before.values()));
  std::vector<HeadName> left = heads_of(copy_.model.transformer);
  HeadGates gone;
  for (const PruningStep& step : curve.steps) {
    ASSERT_EQ(step.removed.size(), 1U);
    SCOPED_TRACE(step.removed[0].site.text());
    const std::vector<double> slopes =
        gate_slopes(copy_.model, *copy_.split.source, gates_on(copy_.model, left), workers);
    const auto least = std::ranges::min_element(slopes) - slopes.begin();
    const auto at = static_cast<std::size_t>(least);
    EXPECT_EQ(step.removed[0], left[at]);
    EXPECT_EQ(step.importance, slopes[at]);
    gone.push_back(std::make_unique<HeadGate>(copy_.model, left[at]));
    gone.back()->set(0);
    EXPECT_EQ(step.loss, copy_.loss(workers));
    left.erase(left.begin() + least);
  }
  EXPECT_TRUE(left.empty());
}

TEST_F(HeadImportanceTest, says_the_same_at_any_number_of_threads) {
  Workers one(1);
  Workers three(3);
  const Importance a = importance(one);
  const Importance b = importance(three);
  for (std::size_t i = 0; i < a.heads.size(); ++i) {
    EXPECT_EQ(a.heads[i].slope, b.heads[i].slope);
    EXPECT_EQ(a.heads[i].loss_without, b.heads[i].loss_without);
    EXPECT_EQ(a.heads[i].loss_alone, b.heads[i].loss_alone);
  }
  const PruningCurve pruned = prune(one);
  const PruningCurve pruned_by_three = prune(three);
  ASSERT_EQ(pruned.steps.size(), pruned_by_three.steps.size());
  for (std::size_t i = 0; i < pruned.steps.size(); ++i) {
    EXPECT_EQ(pruned.steps[i].importance, pruned_by_three.steps[i].importance);
    EXPECT_EQ(pruned.steps[i].loss, pruned_by_three.steps[i].loss);
  }
}

// A gate on a head with its own gate z multiplies z, so its slope is z dL/dz.
TEST(GatedHeadImportance, is_the_slope_of_the_heads_own_gate) {
  SmallCopy copy({.gates = {{HeadGating::l0}}});
  constexpr double log_alpha = 0.4;
  fill_parameters(copy.model.store, ".gates", log_alpha);
  const Batch batch = pack(*copy.split.source, {0});
  ParameterGradients gradients(copy.model.store);
  Tape tape;
  Pass pass(tape, copy.model.store, gradients);
  tape.backward(batch_loss(copy.model.transformer, pass, batch).loss);
  // z = 1.2 s - 0.1 with s = σ(log_alpha): Louizos et al. 2018, equation 13.
  const double s = 1 / (1 + std::exp(-log_alpha));
  const double z = 1.2 * s - 0.1;
  for (const HeadName& head : heads_of(copy.model.transformer)) {
    const auto& own = attention_of(copy.model.transformer, head).weights.gates.log_alpha;
    const double slope = gradients.data(own.block)[head.head] / (1.2 * s * (1 - s));
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

}}}  // namespace tapehead::TAPEHEAD_PRECISION
