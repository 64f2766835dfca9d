// Faults where a block's backward pass belongs to a different forward pass.
#pragma once

#include "tests/nn/wiring/fault.hpp"
#include "tests/nn/wiring/pieces.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline std::vector<Fault> backward_faults() {
  return of_gradients({
      // The key's bias gets the gradient of the value's bias, and vice versa.
      {.name = "KeysAndValuesExchangedBackwards",
       .what = "decoder layer 1 exchanges keys and values of its cross-attention backwards",
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.1.cross"] =
                 around([&model](Run& run, const Var& normed, const Rows& rows, const Block&) {
                   const CrossPieces cross(run, model.decoder[1].cross->attention, run.pass, normed,
                                           rows);
                   return cross.output(with_gradient_of(cross.exchanged(), cross.right()));
                 });
           },
       .named = {.no_gradient = {"decoder.layers.1.cross.value.bias"},
                 .wrong = {"*.embedding", "encoder.*", "decoder.layers.0.*",
                           "decoder.layers.1.self.*", "decoder.layers.1.cross.[qkn]*",
                           "decoder.layers.1.cross.value.weight"}}},
      // Weights sum to 1 with or without the mask, so the value bias's gradient is correct.
      {.name = "MaskMissingBackwards",
       .what = "decoder layer 0 leaves the causal mask out backwards",
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.0.self"] = around(
                 [&model](Run& run, const Var& normed, const Rows& rows, const Block& block) {
                   MultiHeadAttention unmasked = model.decoder[0].self;
                   unmasked.patterns = {Pattern::full()};
                   const BlockOutput out = block(run.pass, normed);
                   const BlockOutput other = unmasked(run.pass, normed, rows.own, {rows.own});
                   return BlockOutput{with_gradient_of(other.value, out.value), out.bias};
                 });
           },
       .named = {.wrong = {"target.embedding", "decoder.layers.0.self.[qkn]*",
                           "decoder.layers.0.self.*.weight"}}},
      {.name = "DropoutDrawnAgainBackwards",
       .what = "decoder layer 1 draws the dropout after its feed-forward block again backwards",
       .base = Base::dropout,
       .plant =
           [](WiredModel& model) {
             model.connections["decoder.layers.1.feed_forward"] = [](Run& run, const Residual& of,
                                                                     const Var& x, const Rows& rows,
                                                                     const Block& block) {
               const BlockOutput out = block(run.pass, of.norm(run.pass, x));
               const auto dropped = [&](std::string_view path) {
                 return residual(x, out.value, out.bias,
                                 run.pass.dropout(of.dropout, path, rows.own));
               };
               return with_gradient_of(dropped("drawn again"), dropped(of.path));
             };
           },
       .named = {.wrong = {"*.embedding", "encoder.*", "decoder.layers.*"}}},
  });
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
