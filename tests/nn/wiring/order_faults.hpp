// Faults that compute another function; the gradient is correct for the faulty computation.
#pragma once

#include "core/ops/embedding.hpp"
#include "tests/nn/wiring/pieces.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

// Parameters are excluded from the loss.
inline std::vector<Fault> unused_faults() {
  return {
      {"the decoder attends to the source's embedding instead of the encoder's output",
       with(&WiredModel::memory,
            [](const std::vector<Var>& made, std::size_t) { return made.front(); }),
       {.unused = {"encoder.*"}}},
      {"the encoder's last layer is left out",
       [](WiredModel& model) { model.encoder.pop_back(); },
       {.unused = {"encoder.layers.1.*"}}},
      {"the norm that closes the encoder is left out",
       [](WiredModel& model) { model.encoder_norm.reset(); },
       {.unused = {"encoder.norm.*"}}},
      {"decoder layer 1 hands what it has to its feed-forward block without the norm",
       at_block("decoder.layers.1.feed_forward",
                [](const Joint& at) { return right_sum(at.x, at.block(at.run.pass, at.x)); }),
       {.unused = {"decoder.layers.1.feed_forward.norm.*"}}},
      {"decoder layer 0 does not attend to the source",
       at_block("decoder.layers.0.cross", [](const Joint& at) { return at.x; }),
       {.unused = {"decoder.layers.0.cross.*"}}},
      {"the output takes the target embedding instead of its own weight",
       [](WiredModel& model) { model.output = model.target->table; },
       {.unused = {"output.weight"}}},
      {"the source is looked up in the target embedding",
       [](WiredModel& model) { model.source->table = model.target->table; },
       {.unused = {"source.embedding"}},
       Base::post_norm},
      {"decoder layer 1 runs the cross-attention of layer 0",
       [](WiredModel& model) {
         model.decoder[1].cross->attention = model.decoder[0].cross->attention;
       },
       {.unused = {"decoder.layers.1.cross.[qkvo]*"}}},
  };
}

// Wrong things are connected.
inline std::vector<Fault> order_faults() {
  return {
      {"the encoder's layers run in the wrong order",
       [](WiredModel& model) { std::swap(model.encoder[0], model.encoder[1]); }},
      {"the decoder's layers run in the wrong order",
       [](WiredModel& model) { std::swap(model.decoder[0], model.decoder[1]); },
       {},
       Base::post_norm},
      {"decoder layers attend to the source before they attend to themselves",
       with(&WiredModel::decoder_blocks, {"cross", "self", "feed_forward"})},
      {"decoder layer 0 attends to the output of encoder layer 0",
       with(&WiredModel::memory,
            [](const std::vector<Var>& made, std::size_t layer) {
              return layer == 0 ? made[1] : made.back();
            })},
      {"nothing skips the cross-attention of decoder layer 1",
       at_block("decoder.layers.1.cross", summed_by([](const Var& x, const BlockOutput& out) {
                  return right_sum(x.tape().constant(Tensor::zeros(x.shape())), out);
                }))},
      {"decoder layer 0 takes keys for values and values for keys in cross-attention",
       at_block("decoder.layers.0.cross",
                cross_attention(0, &Run::pass,
                                [](const Var&, const Var& exchanged) { return exchanged; }))},
      {"the output has a copy of the embedding that it should be tied to",
       [](WiredModel& model) {
         const Tensor copy = model.store.value(model.output).copy();
         model.logits = [copy](Run&, const Var& hidden) {
           return linear(hidden, hidden.tape().constant(copy));
         };
       },
       {},
       Base::tied,
       {"target.embedding"}},
  };
}

// Blocks in the correct order have wrong settings.
inline std::vector<Fault> setting_faults() {
  const auto norms_at = [](NormPosition position) {
    return [position](WiredModel& model) {
      for (std::vector<Layer>* layers : {&model.encoder, &model.decoder}) {
        for (Layer& layer : *layers) {
          layer.self_residual.position = layer.feed_forward->residual.position = position;
          if (layer.cross) {
            layer.cross->residual.position = position;
          }
        }
      }
    };
  };
  const auto decoder_sees = [](const Pattern& pattern) {
    return [pattern](WiredModel& model) {
      for (Layer& layer : model.decoder) {
        layer.self.patterns = {pattern};
      }
    };
  };
  return {
      {"a pre-norm model norms after the residual sums", norms_at(NormPosition::post)},
      {"a post-norm model norms before the blocks",
       norms_at(NormPosition::pre),
       {},
       Base::post_norm},
      {"the decoder sees one token too many: the next",
       decoder_sees(Pattern::window(Pattern::unlimited, 1))},
      {"the decoder sees one token too few: not the present one",
       decoder_sees(Pattern::window(Pattern::unlimited, -1))},
      {"the decoder sees all tokens", decoder_sees(Pattern::full())},
      {"encoder layer 1 sees the tokens before it alone",
       [](WiredModel& model) { model.encoder[1].self.patterns = {Pattern::causal()}; }},
      {"encoder layer 0 cuts its columns into 4 heads of 3, not into 3 of 4",
       [](WiredModel& model) {
         AttentionSpec& spec = model.encoder[0].self.spec;
         std::swap(spec.heads, spec.d_qk);
         spec.kv_heads = spec.heads;
         spec.d_v = spec.d_qk;
       }},
  };
}

// The model's inputs or its loss are wrong.
inline std::vector<Fault> input_faults() {
  return {
      {"the target's positions count from 1", with(&WiredModel::embed_target,
                                                   [](Run& run) {
                                                     Segments later = run.batch.input.segments;
                                                     for (Segment& segment : later.list) {
                                                       ++segment.position;
                                                     }
                                                     return (*run.model.target)(
                                                         run.pass, {run.batch.input.ids, later});
                                                   })},
      {"the source's positions count on from sentence to sentence",
       with(&WiredModel::embed_source,
            [](Run& run) {
              const Segments one = segments_of({run.batch.context.rows()});
              return (*run.model.source)(run.pass, {run.batch.context.ids, one});
            })},
      {"the source embedding is not multiplied by √D",
       with(&WiredModel::embed_source,
            [](Run& run) {
              const TokenEmbedding& embedding = *run.model.source;
              const Var rows = lookup(run.pass.parameter(embedding.table), run.batch.context.ids);
              const Var sines = run.pass.tape().constant(embedding.sinusoidal);
              return add_positions(rows, sines, run.batch.context.segments);
            })},
      {"the loss has no label smoothing", with(&WiredModel::label_smoothing, 0)},
      {"the decoder is given the tokens that it should predict",
       [](WiredModel& model) { model.batch.input.ids = model.batch.labels.ids; }},
      {"each sentence attends to the source of the next",
       with(&WiredModel::attended,
            [](const Segments& sources) {
              Segments next = sources;
              std::ranges::rotate(next.list, next.list.begin() + 1);
              return next;
            })},
  };
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
