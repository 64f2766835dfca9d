// Faults that stop the gradient at a value or before a parameter.
#pragma once

#include "tests/nn/wiring/fault.hpp"
#include "tests/nn/wiring/pieces.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline std::vector<Fault> detached_faults() {
  return of_gradients({
      {.name = "SourceEmbeddingDetached",
       .what = "the encoder takes what the source embedding makes as a constant",
       .plant =
           [](WiredModel& model) {
             model.embed_source = [right = model.embed_source](Run& run) {
               return detached(right(run));
             };
           },
       .named = {.no_gradient = {"source.embedding"}}},
      {.name = "MemoryDetached",
       .what = "the decoder takes what the encoder makes as a constant",
       .base = Base::post_norm,
       .plant =
           [](WiredModel& model) {
             model.memory = [](const std::vector<Var>& made, std::size_t) {
               return detached(made.back());
             };
           },
       .named = {.no_gradient = {"source.embedding", "encoder.*"}}},
      {.name = "MemoryDetachedInOneLayer",
       .what = "decoder layer 1 takes what the encoder makes as a constant, layer 0 does not",
       .plant =
           [](WiredModel& model) {
             model.memory = [](const std::vector<Var>& made, std::size_t layer) {
               return layer == 1 ? detached(made.back()) : made.back();
             };
           },
       .named = {.wrong = {"source.embedding", "encoder.*"}}},
      {.name = "BlockDetached",
       .what = "encoder layer 1 adds what its self-attention makes, before the last bias, as a "
               "constant",
       .plant =
           [](WiredModel& model) {
             model.connections["encoder.layers.1.self"] =
                 around([](Run& run, const Var& normed, const Rows&, const Block& block) {
                   const BlockOutput out = block(run.pass, normed);
                   return BlockOutput{detached(out.value), out.bias};
                 });
           },
       .named = {.no_gradient = {"encoder.layers.1.self.[qkvn]*",
                                 "encoder.layers.1.self.output.weight"},
                 .wrong = {"source.embedding", "encoder.layers.0.*"}}},
      {.name = "SkipDetached",
       .what = "decoder layer 1 adds what skips its cross-attention as a constant",
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.1.cross"] =
                 summed_by([](const Var& x, const BlockOutput& out) {
                   return residual(detached(x), out.value, out.bias);
                 });
           },
       .named = {.wrong = {"*.embedding", "encoder.*", "decoder.layers.0.*",
                           "decoder.layers.1.self.*"}}},
  });
}

inline std::vector<Fault> frozen_faults() {
  return of_gradients({
      {.name = "QueryProjectionFrozen",
       .what = "decoder layer 1 takes the query projection of its cross-attention as a constant",
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.1.cross"] =
                 around([&model](Run& run, const Var& normed, const Rows& rows, const Block&) {
                   const CrossPieces cross(run, model.decoder[1].cross->attention, run.frozen,
                                           normed, rows);
                   return cross.output(cross.right());
                 });
           },
       .named = {.no_gradient = {"decoder.layers.1.cross.query.*"}}},
      {.name = "NormGainFrozen",
       .what =
           "decoder layer 0 takes the gain of the norm before its cross-attention as a constant",
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.0.cross"] =
                 [](Run& run, const Residual& of, const Var& x, const Rows&, const Block& block) {
                   return with_gain_of(run.frozen, run, of, x, block);
                 };
           },
       .named = {.no_gradient = {"decoder.layers.0.cross.norm.gain"}}},
      {.name = "InnerBiasFrozen",
       .what = "decoder layer 1 takes the inner bias of its feed-forward block as a constant",
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.1.feed_forward"] =
                 around([&model](Run& run, const Var& normed, const Rows&, const Block&) {
                   const FeedForward& block = model.decoder[1].feed_forward->block;
                   return feed_forward_with(run, block, normed,
                                            run.pass.parameter(block.inner_weight),
                                            run.frozen.parameter(block.inner_bias));
                 });
           },
       .named = {.no_gradient = {"decoder.layers.1.feed_forward.inner.bias"}}},
  });
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
