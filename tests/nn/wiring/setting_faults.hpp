// Faults in the settings of blocks in the correct order; the gradient is correct for the faulty
// computation.
#pragma once

#include "tests/nn/wiring/fault.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline void set_position(WiredModel& model, NormPosition position) {
  for (Layer& layer : model.encoder) {
    layer.self_residual.position = layer.feed_forward->residual.position = position;
  }
  for (Layer& layer : model.decoder) {
    layer.self_residual.position = layer.cross->residual.position =
        layer.feed_forward->residual.position = position;
  }
}

inline void set_decoder_pattern(WiredModel& model, const Pattern& pattern) {
  for (Layer& layer : model.decoder) {
    layer.self.patterns = {pattern};
  }
}

inline std::vector<Fault> setting_faults() {
  return {
      {.name = "PreNormWiredAsPost",
       .what = "a pre-norm model norms after the residual sums",
       .plant = [](WiredModel& model) { set_position(model, NormPosition::post); }},
      {.name = "PostNormWiredAsPre",
       .what = "a post-norm model norms before the blocks",
       .base = Base::post_norm,
       .plant = [](WiredModel& model) { set_position(model, NormPosition::pre); }},
      {.name = "MaskOffByOne",
       .what = "the decoder sees one token too many: the next",
       .plant =
           [](WiredModel& model) {
             set_decoder_pattern(model, Pattern::window(Pattern::unlimited, 1));
           }},
      {.name = "MaskHidesTheTokenItself",
       .what = "the decoder sees one token too few: not the present one",
       .plant =
           [](WiredModel& model) {
             set_decoder_pattern(model, Pattern::window(Pattern::unlimited, -1));
           }},
      {.name = "MaskMissing",
       .what = "the decoder sees all tokens",
       .plant = [](WiredModel& model) { set_decoder_pattern(model, Pattern::full()); }},
      {.name = "EncoderMasked",
       .what = "encoder layer 1 sees the tokens before it alone",
       .plant = [](WiredModel& model) { model.encoder[1].self.patterns = {Pattern::causal()}; }},
      {.name = "OtherHeads",
       .what = "encoder layer 0 cuts its columns into 4 heads of 3, not into 3 of 4",
       .plant =
           [](WiredModel& model) {
             AttentionSpec& spec = model.encoder[0].self.spec;
             std::swap(spec.heads, spec.d_qk);
             spec.kv_heads = spec.heads;
             spec.d_v = spec.d_qk;
           }},
  };
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
