// Faults in sums of gradients: over shards, or over the uses of one parameter.
#pragma once

#include "tests/nn/wiring/fault.hpp"
#include "tests/nn/wiring/pieces.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline std::vector<Fault> shard_faults() {
  return of_gradients({
      {.name = "ShardLost",
       .what = "the gradient of one of three shards is left out of the sum",
       .plant = [](WiredModel& model) { model.shares = {1, 0, 1}; },
       .named = {.wrong = {"*"}}},
      {.name = "ShardCountedTwice",
       .what = "the gradient of one of three shards is counted twice",
       .plant = [](WiredModel& model) { model.shares = {1, 2, 1}; },
       .named = {.wrong = {"*"}}},
      {.name = "ShardScaledTwice",
       .what = "the gradient of one of three shards is divided by its 6 tokens once more",
       .plant = [](WiredModel& model) { model.shares = {1, 1. / 6, 1}; },
       .named = {.wrong = {"*"}}},
  });
}

// The gradient of the inner weight of encoder layer `own` goes to the slot of layer `other`.
inline Connection with_slot_of(const WiredModel& model, std::size_t own, std::size_t other) {
  return around([&model, own, other](Run& run, const Var& x, const Rows&, const Block&) {
    const FeedForward& block = model.encoder[own].feed_forward->block;
    const Index slot = model.encoder[other].feed_forward->block.inner_weight.block;
    const Var weight =
        run.pass.tape().parameter(model.store.value(block.inner_weight), run.gradients.slot(slot));
    return feed_forward_with(run, block, x, weight, run.pass.parameter(block.inner_bias));
  });
}

inline std::vector<Fault> use_faults() {
  return of_gradients({
      {.name = "TiedTableHalfDetached",
       .what = "the output takes the embedding that it is tied to as a constant",
       .base = Base::tied,
       .plant =
           [](WiredModel& model) {
             model.logits = [&model](Run& run, const Var& hidden) {
               return linear(hidden, run.frozen.parameter(model.output));
             };
           },
       .named = {.wrong = {"target.embedding"}}},
      {.name = "TiedTableOverwritten",
       .what = "a tied embedding has a leaf for each use, and one gradient overwrites the other",
       .base = Base::tied,
       .plant =
           [](WiredModel& model) {
             model.logits = [&model](Run& run, const Var& hidden) {
               return linear(hidden, run.again.parameter(model.output));
             };
           },
       .named = {.wrong = {"target.embedding"}}},
      {.name = "SharedLayerOverwritten",
       .what = "a layer that runs twice has leaves for each run, and one gradient overwrites the "
               "other",
       .base = Base::shared,
       .plant =
           [](WiredModel& model) {
             const Connection again = [](Run& run, const Residual& of, const Var& x,
                                         const Rows& rows, const Block& block) {
               return of(run.again, x, rows.own,
                         [&](const Var& normed) { return block(run.again, normed); });
             };
             model.connections["encoder.layers.1.self"] = again;
             model.connections["encoder.layers.1.feed_forward"] = again;
           },
       .named = {.wrong = {"encoder.layers.0.*"}}},
      {.name = "SlotsExchanged",
       .what = "the inner weights of two layers send each its gradient to the other's place",
       .plant =
           [](WiredModel& model) {
             model.connections["encoder.layers.0.feed_forward"] = with_slot_of(model, 0, 1);
             model.connections["encoder.layers.1.feed_forward"] = with_slot_of(model, 1, 0);
           },
       .named = {.wrong = {"encoder.layers.?.feed_forward.inner.weight"}}},
  });
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
