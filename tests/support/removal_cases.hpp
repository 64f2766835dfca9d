// Models for head removal; compares a model without heads with gates at 0.
#pragma once

#include "lab/removal/head_removal.hpp"
#include "tests/support/pytorch.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline Config removal_config(const AttentionSettings& attention) {
  Config config;
  config.model = tiny_options();
  config.model.d_model = 12;
  config.model.heads = 4;
  config.model.d_head.reset();
  config.model.layers = 2;
  config.model.attention = attention;
  return config;
}

struct RemovalModel {
  explicit RemovalModel(const Config& config) : model(config, tiny_vocabulary, tiny_vocabulary) {
    shake_parameters(model.store, 0.3);
  }
  Tensor logits() const {
    Tape tape(false);
    Pass pass(tape, model.store);
    return logits_of(model.transformer, pass, tiny_batch()).value();
  }
  Model model;
};

// Removes the heads and expects the logits `expected`, to within `tolerance` of the largest logit.
inline void expect_same_without(const RemovalModel& larger, const Config& config,
                                const std::vector<HeadName>& removed, const Tensor& expected,
                                double tolerance) {
  Config without = config;
  without.model = options_without(config.model, larger.model.transformer, removed);
  RemovalModel smaller(without);
  keep_weights(larger.model, removed, smaller.model);
  EXPECT_LT(smaller.model.store.count(), larger.model.store.count());
  EXPECT_EQ(heads_of(smaller.model.transformer).size(),
            heads_of(larger.model.transformer).size() - removed.size());
  expect_within(tolerance * largest_of(expected), smaller.logits().values(), expected);
}

// Expects the same logits from the smaller model and from the larger model with gates at 0.
inline void expect_removed_is_gated_in(const Config& config, const std::vector<HeadName>& removed,
                                       double tolerance) {
  RemovalModel larger(config);
  const Tensor before = larger.logits();
  const Tensor gated = [&] {
    const HeadGates gates = gates_on(larger.model, removed);
    for (const auto& gate : gates) {
      gate->set(0);
    }
    return larger.logits();
  }();
  EXPECT_THAT(gated.values(), Not(Pointwise(DoubleNear(1e-3), before.values())));
  expect_same_without(larger, config, removed, gated, tolerance);
}

inline void expect_removed_is_gated(const AttentionSettings& attention,
                                    const std::vector<HeadName>& removed, double tolerance) {
  expect_removed_is_gated_in(removal_config(attention), removed, tolerance);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
