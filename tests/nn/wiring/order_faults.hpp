// Faults that connect the wrong things; the gradient is correct for the faulty computation.
#pragma once

#include "tests/nn/wiring/fault.hpp"
#include "tests/nn/wiring/pieces.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline std::vector<Fault> order_faults() {
  return {
      {.name = "EncoderLayersSwapped",
       .what = "the encoder's layers run in the wrong order",
       .plant = [](WiredModel& model) { std::swap(model.encoder[0], model.encoder[1]); }},
      {.name = "DecoderLayersSwapped",
       .what = "the decoder's layers run in the wrong order",
       .base = Base::post_norm,
       .plant = [](WiredModel& model) { std::swap(model.decoder[0], model.decoder[1]); }},
      {.name = "CrossBeforeSelf",
       .what = "decoder layers attend to the source before they attend to themselves",
       .plant =
           [](WiredModel& model) { std::swap(model.decoder_blocks[0], model.decoder_blocks[1]); }},
      {.name = "MemoryOfAnEarlierLayer",
       .what = "decoder layer 0 attends to the output of encoder layer 0",
       .plant =
           [](WiredModel& model) {
             model.memory = [](const std::vector<Var>& made, std::size_t layer) {
               return layer == 0 ? made[1] : made.back();
             };
           }},
      {.name = "ResidualDropped",
       .what = "nothing skips the cross-attention of decoder layer 1",
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.1.cross"] =
                 summed_by([](const Var& x, const BlockOutput& out) {
                   const Var nothing = x.tape().constant(Tensor::zeros(x.shape()));
                   return residual(nothing, out.value, out.bias);
                 });
           }},
      {.name = "KeysAndValuesExchanged",
       .what = "decoder layer 0 takes keys for values and values for keys in cross-attention",
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.0.cross"] =
                 around([&model](Run& run, const Var& normed, const Rows& rows, const Block&) {
                   const CrossPieces cross(run, model.decoder[0].cross->attention, run.pass, normed,
                                           rows);
                   return cross.output(cross.exchanged());
                 });
           }},
      {.name = "TieMissing",
       .what = "the output has a copy of the embedding that it should be tied to",
       .base = Base::tied,
       .plant =
           [](WiredModel& model) {
             model.logits = [copy = model.store.value(model.output).copy()](Run& run,
                                                                            const Var& hidden) {
               return linear(hidden, run.pass.tape().constant(copy));
             };
           },
       .off = {"target.embedding"}},
  };
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
