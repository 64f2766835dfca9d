// Single layers, and attention with grouped keys and with its own positions, compared with PyTorch
// and transformers: the output, and the gradients of every input and parameter. Included by one
// test per precision. scripts/make_pytorch_fixtures.py makes the fixtures, has the sizes, too, and
// names the reference of each.
#pragma once

#include "core/ops/arithmetic.hpp"
#include "nn/attention/model_rules.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/pytorch.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline const Segments pytorch_targets = segments_of({4, 1, 17});
inline const Segments pytorch_sources = segments_of({1, 3, 9});

inline ModelOptions layer_options(NormPosition position = NormPosition::pre) {
  ModelOptions options;
  options.d_model = 10;
  options.heads = 2;
  options.d_ff = 14;
  options.dropout = 0;
  options.norm_position = position;
  options.activation = position == NormPosition::pre ? Activation::gelu : Activation::relu;
  return options;
}

struct LayerInput {
  std::string name;
  Segments segments;
};

// Runs `layer(pass, inputs)` with the parameters and inputs of the file, and compares the results.
template <class Layer>
void expect_layer_as_pytorch(const std::string& name, ParameterStore& store,
                             const std::vector<LayerInput>& inputs, const Layer& layer) {
  SCOPED_TRACE(name);
  const TensorFile file = pytorch_fixture(name);
  load_parameters(store, file);
  // Output and cotangent, and each input and parameter with its gradient: all are used.
  ASSERT_EQ(file.entries().size(), 2 * (1 + inputs.size() + store.parameters().size()));

  Tape tape;
  ParameterGradients gradients(store);
  Pass pass(tape, store, gradients, 1, 1);
  std::vector<Var> leaves;
  for (const LayerInput& input : inputs) {
    const Shape shape{row_count(input.segments), layer_options().d_model};
    leaves.push_back(tape.variable(tensor_of(file, "input." + input.name, shape)));
  }
  const Var output = layer(pass, leaves);
  expect_near(output.value().values(), tensor_of(file, "output", output.shape()));
  tape.backward(output, tensor_of(file, "cotangent", output.shape()));
  expect_parameter_gradients(store, gradients, file);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE(inputs[i].name);
    expect_near(tape.gradient(leaves[i]).values(),
                tensor_of(file, "input_gradient." + inputs[i].name, leaves[i].shape()));
  }
}

// Without a key input, the query is also the key.
inline void expect_attention_as_pytorch(const std::string& name, AttentionKind kind,
                                        const AttentionSettings& settings = {}) {
  ModelOptions options = layer_options();
  options.attention = settings;
  const AttentionSpec spec = attention_spec(options, kind, 0);
  ASSERT_FALSE(spec_violation(spec).has_value()) << name;
  std::vector<LayerInput> inputs{{"query", pytorch_targets}};
  if (kind == AttentionKind::cross) {
    inputs.push_back({"key", pytorch_sources});
  }
  ParameterStore store;
  const MultiHeadAttention attention(store.root(), spec, {},
                                     AttentionWeights(store.root(), options, spec));
  expect_layer_as_pytorch(name, store, inputs, [&](Pass& pass, const std::vector<Var>& x) {
    KeySource from{inputs.back().segments};
    if (x.size() > 1) {
      from.rows = x[1];
    }
    const BlockOutput output = attention(pass, x.front(), pytorch_targets, from);
    return add(output.value, output.bias);
  });
}

TEST(PytorchAttention, has_the_same_output_and_gradients) {
  expect_attention_as_pytorch("attention_self", AttentionKind::encoder_self);
  expect_attention_as_pytorch("attention_causal", AttentionKind::decoder_self);
  expect_attention_as_pytorch("attention_cross", AttentionKind::cross);
}

TEST(PytorchLayer, has_the_same_output_and_gradients) {
  for (const NormPosition position : {NormPosition::pre, NormPosition::post}) {
    const std::string norm = position == NormPosition::pre ? "pre_norm" : "post_norm";
    const ModelOptions options = layer_options(position);
    ParameterStore encoder_store;
    AttentionMaker encoder_attention(encoder_store.root(), options);
    const Layer encoder(encoder_store.root(), options, encoder_attention, StackName::encoder, 0);
    expect_layer_as_pytorch("encoder_layer_" + norm, encoder_store, {{"x", pytorch_targets}},
                            [&](Pass& pass, const std::vector<Var>& x) {
                              return encoder(pass, x[0], pytorch_targets, {pytorch_targets});
                            });
    ParameterStore store;
    AttentionMaker attention(store.root(), options);
    const Layer decoder(store.root(), options, attention, StackName::decoder, 0);
    expect_layer_as_pytorch("decoder_layer_" + norm, store,
                            {{"x", pytorch_targets}, {"memory", pytorch_sources}},
                            [&](Pass& pass, const std::vector<Var>& x) {
                              return decoder(pass, x[0], pytorch_targets, {pytorch_targets},
                                             KeySource{.segments = pytorch_sources, .rows = x[1]});
                            });
  }
}

inline AttentionSettings variant(Index heads, AttentionPositions positions, Index kv_heads = 0) {
  AttentionSettings settings{.heads = {{heads}}, .d_qk = {{4}}, .d_v = {{3}}};
  settings.positions.values = {positions};
  settings.clip.values = {3};
  settings.buckets.values = {8};
  settings.farthest.values = {6};
  if (kv_heads > 0) {
    settings.kv_heads.values = {kv_heads};
  }
  return settings;
}

// Wav2Vec2Bert requires d_model / heads as the width of each head.
inline AttentionSettings even_width(AttentionPositions positions, Index clip) {
  AttentionSettings settings = variant(2, positions);
  settings.d_qk.values = {layer_options().d_model / 2};
  settings.d_v.values = {layer_options().d_model / 2};
  settings.clip.values = {clip};
  return settings;
}

TEST(PytorchVariant, has_the_same_output_and_gradients) {
  using enum AttentionPositions;
  const Index farthest = 16;  // largest distance of the longest sequence: nothing is clipped
  for (const auto& [name, settings] : std::vector<std::pair<std::string, AttentionSettings>>{
           {"grouped", variant(4, none, 2)},
           {"one_key_head_causal", variant(3, none, 1)},
           {"alibi", variant(3, alibi)},
           {"alibi_causal", variant(6, alibi)},
           {"rotary", variant(2, rotary)},
           {"rotary_interleaved", variant(2, rotary)},
           {"rotary_grouped_causal", variant(4, rotary, 2)},
           {"t5", variant(3, t5)},
           {"t5_causal", variant(2, t5)},
           {"relative", variant(2, relative)},
           {"relative_causal", variant(2, relative)},
           {"relative_keys", even_width(relative_keys, 3)},
           {"transformer_xl", even_width(transformer_xl, farthest)}}) {
    expect_attention_as_pytorch(
        "variant_" + name,
        name.ends_with("causal") ? AttentionKind::decoder_self : AttentionKind::encoder_self,
        settings);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
