// Faults with the correct loss and a wrong gradient.
#pragma once

#include "tests/nn/wiring/pieces.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

// Over shards, or over the uses of one parameter.
inline std::vector<Fault> sum_faults() {
  // The gradient of the inner weight of encoder layer `own` goes to the slot of layer `other`.
  const auto with_slot_of = [](std::size_t own, std::size_t other) {
    return around([own, other](const Joint& at, const Var& x) {
      const auto block_of = [&](std::size_t layer) -> const FeedForward& {
        return at.run.model.encoder[layer].feed_forward->block;
      };
      const FeedForward& block = block_of(own);
      const Var weight =
          x.tape().parameter(at.run.model.store.value(block.inner_weight),
                             at.run.gradients.slot(block_of(other).inner_weight.block));
      return feed_forward_with(at.run.pass, block, x, weight,
                               at.run.pass.parameter(block.inner_bias));
    });
  };
  return {
      {"the gradient of one of three shards is left out of the sum",
       with(&WiredModel::shares, {1, 0, 1}),
       {.wrong = {"*"}}},
      {"the gradient of one of three shards is counted twice",
       with(&WiredModel::shares, {1, 2, 1}),
       {.wrong = {"*"}}},
      {"the gradient of one of three shards is divided by its 6 tokens once more",
       with(&WiredModel::shares, {1, 1. / 6, 1}),
       {.wrong = {"*"}}},
      {"the output takes the embedding that it is tied to as a constant",
       with(&WiredModel::logits,
            [](Run& run, const Var& hidden) {
              return linear(hidden, run.frozen.parameter(run.model.output));
            }),
       {.wrong = {"target.embedding"}},
       Base::tied},
      {"a tied embedding has a leaf for each use, and one gradient overwrites the other",
       with(&WiredModel::logits,
            [](Run& run, const Var& hidden) {
              return linear(hidden, run.again.parameter(run.model.output));
            }),
       {.wrong = {"target.embedding"}},
       Base::tied},
      {"a layer that runs twice has leaves for each run, and one gradient overwrites the other",
       [](WiredModel& model) {
         const Connection again = [](const Joint& at) {
           return at.residual(at.run.again, at.x, at.segments,
                              [&](const Var& normed) { return at.block(at.run.again, normed); });
         };
         model.connections["encoder.layers.1.self"] = again;
         model.connections["encoder.layers.1.feed_forward"] = again;
       },
       {.wrong = {"encoder.layers.0.*"}},
       Base::shared},
      {"the inner weights of two layers send each its gradient to the other's place",
       [with_slot_of](WiredModel& model) {
         model.connections["encoder.layers.0.feed_forward"] = with_slot_of(0, 1);
         model.connections["encoder.layers.1.feed_forward"] = with_slot_of(1, 0);
       },
       {.wrong = {"encoder.layers.?.feed_forward.inner.weight"}}},
  };
}

// The gradient stops at a value or before a parameter.
inline std::vector<Fault> detached_faults() {
  return {
      {"the encoder takes what the source embedding makes as a constant",
       with(&WiredModel::embed_source,
            [](Run& run) { return detached((*run.model.source)(run.pass, run.batch.context)); }),
       {.no_gradient = {"source.embedding"}}},
      {"the decoder takes what the encoder makes as a constant",
       with(&WiredModel::memory,
            [](const std::vector<Var>& made, std::size_t) { return detached(made.back()); }),
       {.no_gradient = {"source.embedding", "encoder.*"}},
       Base::post_norm},
      {"decoder layer 1 takes what the encoder makes as a constant, layer 0 does not",
       with(&WiredModel::memory,
            [](const std::vector<Var>& made, std::size_t layer) {
              return layer == 1 ? detached(made.back()) : made.back();
            }),
       {.wrong = {"source.embedding", "encoder.*"}}},
      {"encoder layer 1 adds what its self-attention makes, before the last bias, as a constant",
       at_block("encoder.layers.1.self", around([](const Joint& at, const Var& normed) {
                  const BlockOutput out = at.block(at.run.pass, normed);
                  return BlockOutput{detached(out.value), out.bias};
                })),
       {.no_gradient = {"encoder.layers.1.self.[qkvn]*", "encoder.layers.1.self.output.weight"},
        .wrong = {"source.embedding", "encoder.layers.0.*"}}},
      {"decoder layer 1 adds what skips its cross-attention as a constant",
       at_block("decoder.layers.1.cross", summed_by([](const Var& x, const BlockOutput& out) {
                  return right_sum(detached(x), out);
                })),
       {.wrong = {"*.embedding", "encoder.*", "decoder.layers.0.*", "decoder.layers.1.self.*"}}},
      {"decoder layer 1 takes the query projection of its cross-attention as a constant",
       at_block(
           "decoder.layers.1.cross",
           cross_attention(1, &Run::frozen, [](const Var& right, const Var&) { return right; })),
       {.no_gradient = {"decoder.layers.1.cross.query.*"}}},
      {"decoder layer 0 takes the gain of the norm before its cross-attention as a constant",
       at_block("decoder.layers.0.cross", with_gain_of(&Run::frozen)),
       {.no_gradient = {"decoder.layers.0.cross.norm.gain"}}},
      {"decoder layer 1 takes the inner bias of its feed-forward block as a constant",
       at_block("decoder.layers.1.feed_forward", with_inner_bias_of(&Run::frozen)),
       {.no_gradient = {"decoder.layers.1.feed_forward.inner.bias"}}},
  };
}

// A block's backward pass belongs to a different forward pass.
inline std::vector<Fault> backward_faults() {
  return {
      // The key's bias gets the gradient of the value's bias, and vice versa.
      {"decoder layer 1 exchanges keys and values of its cross-attention backwards",
       at_block("decoder.layers.1.cross",
                cross_attention(1, &Run::pass,
                                [](const Var& right, const Var& exchanged) {
                                  return with_gradient_of(exchanged, right);
                                })),
       {.no_gradient = {"decoder.layers.1.cross.value.bias"},
        .wrong = {"*.embedding", "encoder.*", "decoder.layers.0.*", "decoder.layers.1.self.*",
                  "decoder.layers.1.cross.[qkn]*", "decoder.layers.1.cross.value.weight"}}},
      // Weights sum to 1 with or without the mask, so the value bias's gradient is correct.
      {"decoder layer 0 leaves the causal mask out backwards",
       at_block("decoder.layers.0.self", around([](const Joint& at, const Var& normed) {
                  MultiHeadAttention unmasked = at.run.model.decoder[0].self;
                  unmasked.patterns = {Pattern::full()};
                  const BlockOutput out = at.block(at.run.pass, normed);
                  const BlockOutput other =
                      unmasked(at.run.pass, normed, at.segments, {at.segments});
                  return BlockOutput{with_gradient_of(other.value, out.value), out.bias};
                })),
       {.wrong = {"target.embedding", "decoder.layers.0.self.[qkn]*",
                  "decoder.layers.0.self.*.weight"}}},
      {"decoder layer 1 draws the dropout after its feed-forward block again backwards",
       at_block("decoder.layers.1.feed_forward",
                [](const Joint& at) {
                  const BlockOutput out =
                      at.block(at.run.pass, at.residual.norm(at.run.pass, at.x));
                  const auto dropped = [&](std::string_view path) {
                    return residual(at.x, out.value, out.bias,
                                    at.run.pass.dropout(at.residual.dropout, path, at.segments));
                  };
                  return with_gradient_of(dropped("drawn again"), dropped(at.residual.path));
                }),
       {.wrong = {"*.embedding", "encoder.*", "decoder.layers.*"}},
       Base::dropout},
  };
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
