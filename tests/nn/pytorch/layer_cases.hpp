// Single layers compared with PyTorch: the output, and the gradients of every input and parameter.
// Included by one test per precision. Fixtures: scripts/make_pytorch_fixtures.py.
#pragma once

#include "core/ops/arithmetic.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/pytorch.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The sizes in the script.
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
void expect_as_pytorch(const std::string& name, ParameterStore& store,
                       const std::vector<LayerInput>& inputs, const Layer& layer) {
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

struct PytorchAttentionCase {
  std::string name;
  AttentionKind kind;
  std::vector<LayerInput> inputs;  // without a key input, the query is also the key

  friend std::ostream& operator<<(std::ostream& out, const PytorchAttentionCase& c) {
    return out << c.name;
  }
};

inline std::vector<PytorchAttentionCase> pytorch_attention_cases() {
  const LayerInput query{"query", pytorch_targets};
  const LayerInput key{"key", pytorch_sources};
  return {{"self", AttentionKind::encoder_self, {query}},
          {"causal", AttentionKind::decoder_self, {query}},
          {"cross", AttentionKind::cross, {query, key}}};
}

class PytorchAttention : public TestWithParam<PytorchAttentionCase> {};

INSTANTIATE_TEST_SUITE_P(Inputs, PytorchAttention, ValuesIn(pytorch_attention_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(PytorchAttention, has_the_same_output_and_gradients) {
  const PytorchAttentionCase& c = GetParam();
  ParameterStore store;
  const AttentionSpec spec = attention_spec(layer_options(), c.kind, 0);
  const MultiHeadAttention attention(store.root(), spec, {},
                                     AttentionWeights(store.root(), layer_options(), spec));
  expect_as_pytorch(
      "attention_" + c.name, store, c.inputs, [&](Pass& pass, const std::vector<Var>& x) {
        KeySource from{c.inputs.back().segments};
        if (x.size() > 1) {
          from.rows = x[1];
        }
        const BlockOutput output = attention(pass, x.front(), c.inputs.front().segments, from);
        return add(output.value, output.bias);
      });
}

class PytorchLayer : public TestWithParam<NormPosition> {
 protected:
  static std::string position() { return GetParam() == NormPosition::pre ? "pre" : "post"; }
};

INSTANTIATE_TEST_SUITE_P(Norms, PytorchLayer, Values(NormPosition::pre, NormPosition::post),
                         [](const auto& test) {
                           return test.param == NormPosition::pre ? "pre" : "post";
                         });

TEST_P(PytorchLayer, of_the_encoder_has_the_same_output_and_gradients) {
  ParameterStore store;
  const ModelOptions options = layer_options(GetParam());
  AttentionMaker attention(store.root(), options);
  const Layer layer(store.root(), options, attention, StackName::encoder, 0);
  expect_as_pytorch("encoder_layer_" + position() + "_norm", store, {{"x", pytorch_targets}},
                    [&](Pass& pass, const std::vector<Var>& x) {
                      return layer(pass, x[0], pytorch_targets, {pytorch_targets});
                    });
}

TEST_P(PytorchLayer, of_the_decoder_has_the_same_output_and_gradients) {
  ParameterStore store;
  const ModelOptions options = layer_options(GetParam());
  AttentionMaker attention(store.root(), options);
  const Layer layer(store.root(), options, attention, StackName::decoder, 0);
  expect_as_pytorch("decoder_layer_" + position() + "_norm", store,
                    {{"x", pytorch_targets}, {"memory", pytorch_sources}},
                    [&](Pass& pass, const std::vector<Var>& x) {
                      return layer(pass, x[0], pytorch_targets, {pytorch_targets},
                                   KeySource{.segments = pytorch_sources, .rows = x[1]});
                    });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
