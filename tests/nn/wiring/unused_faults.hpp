// Faults that exclude parameters from the loss.
#pragma once

#include "tests/nn/wiring/fault.hpp"
#include "tests/nn/wiring/pieces.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline std::vector<Fault> unused_faults() {
  return {
      {.name = "MemoryIsTheEmbedding",
       .what = "the decoder attends to the source's embedding instead of the encoder's output",
       .plant =
           [](WiredModel& model) {
             model.memory = [](const std::vector<Var>& made, std::size_t) { return made.front(); };
           },
       .named = {.unused = {"encoder.*"}}},
      {.name = "LastLayerLeftOut",
       .what = "the encoder's last layer is left out",
       .plant = [](WiredModel& model) { model.encoder.pop_back(); },
       .named = {.unused = {"encoder.layers.1.*"}}},
      {.name = "ClosingNormLeftOut",
       .what = "the norm that closes the encoder is left out",
       .plant = [](WiredModel& model) { model.encoder_norm.reset(); },
       .named = {.unused = {"encoder.norm.*"}}},
      {.name = "NormLeftOut",
       .what = "decoder layer 1 hands what it has to its feed-forward block without the norm",
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.1.feed_forward"] =
                 [](Run& run, const Residual&, const Var& x, const Rows&, const Block& block) {
                   const BlockOutput out = block(run.pass, x);
                   return residual(x, out.value, out.bias);
                 };
           },
       .named = {.unused = {"decoder.layers.1.feed_forward.norm.*"}}},
      {.name = "CrossAttentionLeftOut",
       .what = "decoder layer 0 does not attend to the source",
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.0.cross"] =
                 [](Run&, const Residual&, const Var& x, const Rows&, const Block&) { return x; };
           },
       .named = {.unused = {"decoder.layers.0.cross.*"}}},
      {.name = "OutputTiedByMistake",
       .what = "the output takes the target embedding instead of its own weight",
       .plant = [](WiredModel& model) { model.output = model.target->table; },
       .named = {.unused = {"output.weight"}}},
      {.name = "SourceTiedByMistake",
       .what = "the source is looked up in the target embedding",
       .base = Base::post_norm,
       .plant = [](WiredModel& model) { model.source->table = model.target->table; },
       .named = {.unused = {"source.embedding"}}},
      {.name = "BlockOfAnotherLayer",
       .what = "decoder layer 1 runs the cross-attention of layer 0",
       .plant =
           [](WiredModel& model) {
             model.decoder[1].cross->attention = model.decoder[0].cross->attention;
           },
       .named = {.unused = {"decoder.layers.1.cross.[qkvo]*"}}},
  };
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
