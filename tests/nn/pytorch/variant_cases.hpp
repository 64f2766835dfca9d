// Attention with grouped keys and with its own positions compared with PyTorch and transformers:
// the output, and the gradients of every input and parameter. Included by one test per precision.
// scripts/make_pytorch_fixtures.py makes the fixtures and names the reference of each.
#pragma once

#include "core/ops/arithmetic.hpp"
#include "nn/attention/model_rules.hpp"
#include "tests/nn/pytorch/layer_cases.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct PytorchVariantCase {
  std::string name;
  AttentionSettings settings;
  bool causal = false;

  friend std::ostream& operator<<(std::ostream& out, const PytorchVariantCase& c) {
    return out << c.name;
  }
};

// The sizes in the script.
inline AttentionSettings variant_settings(Index heads, AttentionPositions positions) {
  AttentionSettings settings;
  settings.heads.values = {heads};
  settings.d_qk.values = {4};
  settings.d_v.values = {3};
  settings.positions.values = {positions};
  settings.clip.values = {3};
  settings.buckets.values = {8};
  settings.farthest.values = {6};
  return settings;
}

inline AttentionSettings grouped(AttentionSettings settings, Index kv_heads) {
  settings.kv_heads.values = {kv_heads};
  return settings;
}

// Wav2Vec2Bert requires d_model / heads as the width of each head.
inline AttentionSettings even_width(AttentionPositions positions, Index clip) {
  AttentionSettings settings = variant_settings(2, positions);
  settings.d_qk.values = {layer_options().d_model / 2};
  settings.d_v.values = {layer_options().d_model / 2};
  settings.clip.values = {clip};
  return settings;
}

inline std::vector<PytorchVariantCase> pytorch_variant_cases() {
  using enum AttentionPositions;
  const Index farthest = 16;  // largest distance of the longest sequence: nothing is clipped
  return {
      {"grouped", grouped(variant_settings(4, none), 2)},
      {"one_key_head_causal", grouped(variant_settings(3, none), 1), true},
      {"alibi", variant_settings(3, alibi)},
      {"alibi_causal", variant_settings(6, alibi), true},
      {"rotary", variant_settings(2, rotary)},
      {"rotary_interleaved", variant_settings(2, rotary)},
      {"rotary_grouped_causal", grouped(variant_settings(4, rotary), 2), true},
      {"t5", variant_settings(3, t5)},
      {"t5_causal", variant_settings(2, t5), true},
      {"relative", variant_settings(2, relative)},
      {"relative_causal", variant_settings(2, relative), true},
      {"relative_keys", even_width(relative_keys, 3)},
      {"transformer_xl", even_width(transformer_xl, farthest)},
  };
}

class PytorchVariant : public TestWithParam<PytorchVariantCase> {};

INSTANTIATE_TEST_SUITE_P(Attention, PytorchVariant, ValuesIn(pytorch_variant_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(PytorchVariant, has_the_same_output_and_gradients) {
  const PytorchVariantCase& c = GetParam();
  ModelOptions options = layer_options();
  options.attention = c.settings;
  const AttentionSpec spec = attention_spec(
      options, c.causal ? AttentionKind::decoder_self : AttentionKind::encoder_self, 0);
  ASSERT_FALSE(spec_violation(spec).has_value());
  ParameterStore store;
  const MultiHeadAttention attention(store.root(), spec, {},
                                     AttentionWeights(store.root(), options, spec));
  expect_as_pytorch("variant_" + c.name, store, {{"query", pytorch_targets}},
                    [&](Pass& pass, const std::vector<Var>& x) {
                      const BlockOutput output =
                          attention(pass, x[0], pytorch_targets, {pytorch_targets});
                      return add(output.value, output.bias);
                    });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
