// Models whose attentions share weights: with separate copies they compute the same, and a head's
// gate acts at one site.
#include "lab/removal/head_importance.hpp"

#include "lab/removal/head_removal.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/small_copy.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Config with_in_common(bool layers) {
  Config config = SmallCopy::options({});
  config.model.layers = 2;
  if (layers) {
    config.model.layer_groups = 1;
    config.model.tie_embeddings = Tying::all;
  } else {
    config.model.encoder_self.shared_as.values = {"one"};
    config.model.cross.shared_as.values = {"other"};
  }
  return config;
}

class WeightsApart : public TestWithParam<bool> {
 protected:
  WeightsApart() : copy_(with_in_common(GetParam())) {
    const Tensor numbers = random_tensor({copy_.model.store.size()}, 3, -0.4, 0.4);
    std::ranges::copy(numbers.values(), copy_.model.store.values().values().begin());
  }

  SmallCopy copy_;
};

INSTANTIATE_TEST_SUITE_P(Models, WeightsApart, Bool(),
                         [](const auto& test) { return test.param ? "layers" : "attentions"; });

TEST_P(WeightsApart, compute_the_same_and_are_what_a_gate_and_a_removal_need) {
  const auto apart = with_weights_apart(copy_.model, copy_.config);
  EXPECT_TRUE(shares_weights(copy_.model.transformer));
  EXPECT_FALSE(shares_weights(apart->transformer));
  EXPECT_GT(apart->store.count(), copy_.model.store.count());
  Tape tape(false);
  Pass pass(tape, apart->store);
  const Var logits = logits_of(apart->transformer, pass, pack(*copy_.split.source, {0, 1, 2}));
  EXPECT_THAT(logits.value().values(), ElementsAreArray(copy_.logits().values()));
  const HeadName head{.site = {AttentionKind::encoder_self, 1}, .head = 0};
  EXPECT_THAT([&] { HeadGate(copy_.model, head); },
              throws<ConfigError>("heads of encoder.layers.1.self cannot be gated",
                                  "serves other attentions too"));
  EXPECT_THAT([&] { options_without(copy_.config.model, copy_.model.transformer, {head}); },
              throws<ConfigError>("heads of encoder.layers.1.self cannot be removed",
                                  "(model.layer_groups, shared_as)"));
}

// The recorder sees a head's output before its gate. Closing a head of layer 1 does not change the
// output of layer 0.
TEST_P(WeightsApart, have_gates_that_act_at_one_site) {
  const auto apart = with_weights_apart(copy_.model, copy_.config);
  const auto context_of = [&] {
    const Batch batch = pack(*copy_.split.source, {0, 1, 2});
    Tape tape(false);
    Pass pass(tape, apart->store);
    std::vector<std::vector<Scalar>> outputs(2);  // by layer
    pass.recorder = [&](const RecordedAttention& seen) {
      if (seen.site.kind == AttentionKind::cross) {
        std::vector<Scalar>& layer = outputs[static_cast<std::size_t>(seen.site.layer)];
        layer.insert(layer.end(), seen.output.values().begin(), seen.output.values().end());
      }
    };
    apart->transformer.hidden(pass, batch);
    return outputs;
  };
  const auto before = context_of();
  HeadGate gate(*apart, {{AttentionKind::cross, 0}, 1});
  gate.set(0);
  const auto after = context_of();
  EXPECT_EQ(after[0], before[0]);  // recorded before the gate in layer 0
  EXPECT_NE(after[1], before[1]);
  gate.set(1);
  HeadGate later(*apart, {{AttentionKind::cross, 1}, 1});
  later.set(0);
  EXPECT_EQ(context_of(), before);
}

TEST_P(WeightsApart, have_the_importance_of_each_head_at_its_site) {
  Workers workers(2);
  const Tensor weights = copy_.model.store.values().copy();
  const Importance found =
      head_importance(copy_.model, copy_.config, copy_.task, copy_.split, workers);
  EXPECT_THAT(copy_.model.store.values().values(), ElementsAreArray(weights.values()));
  ASSERT_EQ(found.heads.size(), 12U);  // two layers of three attentions with two heads
  EXPECT_TRUE(found.ungated.empty());
  const auto apart = with_weights_apart(copy_.model, copy_.config);
  for (const HeadImportance& head : found.heads) {
    HeadGate gate(*apart, head.head);
    gate.set(0);
    EXPECT_EQ(head.loss_without,
              evaluate(*apart, copy_.task, copy_.split, copy_.config.evaluation, 0, workers).loss())
        << head.head.text();
  }
  const PruningCurve curve =
      prune_heads(copy_.model, copy_.config, copy_.task, copy_.split, 6, workers);
  EXPECT_EQ(curve.steps.size(), 12U);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
