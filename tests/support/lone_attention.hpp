// One attention module without a model around it.
#pragma once

#include "nn/attention/model_rules.hpp"
#include "nn/attention/multi_head_attention.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// An attention module whose weights can be set by name, and its output for an input.
struct LoneAttention {
  explicit LoneAttention(const AttentionSettings& settings, Index heads = 2, Index d_model = 6,
                         AttentionKind kind = AttentionKind::encoder_self)
      : spec(spec_of(settings, heads, d_model, kind)),
        attention(store.root(), spec, {},
                  AttentionWeights(store.root(), options_of(heads, d_model), spec)) {
    store.initialize(1);
    for (const NamedParameter& parameter : store.parameters()) {
      Tensor values = store.value(parameter);
      const Tensor noise = random_tensor(parameter.shape, digest(parameter.name));
      std::ranges::copy(noise.values(), values.values().begin());
    }
  }

  static ModelOptions options_of(Index heads, Index d_model) {
    ModelOptions options;
    options.d_model = d_model;
    options.heads = heads;
    options.max_positions = 64;
    return options;
  }
  static AttentionSpec spec_of(const AttentionSettings& settings, Index heads, Index d_model,
                               AttentionKind kind) {
    ModelOptions options = options_of(heads, d_model);
    options.attention = settings;
    const AttentionSpec spec = attention_spec(options, kind, 0);
    EXPECT_FALSE(spec_violation(spec).has_value());
    return spec;
  }

  Tensor value(const std::string& name) { return values_of(store, name); }
  void set(const std::string& name, const Tensor& to) {
    Tensor values = value(name);
    ASSERT_EQ(values.shape(), to.shape());
    std::ranges::copy(to.values(), values.values().begin());
  }
  void without_biases() { fill_parameters(store, "bias", 0); }

  Tensor operator()(const Tensor& x, const Segments& segments) const {
    Tape tape(false);
    Pass pass(tape, store);
    pass.substitute = substitute;
    return attention(pass, tape.constant(x), segments, {segments}).value.value();
  }

  // What a recorder sees: each segment of each head.
  std::vector<RecordedAttention> recorded(const Tensor& x, const Segments& segments) const {
    std::vector<RecordedAttention> seen;
    Tape tape(false);
    Pass pass(tape, store);
    pass.substitute = substitute;
    pass.recorder = [&](const RecordedAttention& one) { seen.push_back(one); };
    attention(pass, tape.constant(x), segments, {segments});
    return seen;
  }

  // The gradient of a parameter for a random cotangent.
  Tensor gradient(const std::string& name, const Tensor& x, const Segments& segments) const {
    ParameterGradients gradients(store);
    Tape tape;
    Pass pass(tape, store, gradients);
    pass.substitute = substitute;
    const Var y = attention(pass, tape.constant(x), segments, {segments}).value;
    tape.backward(y, random_tensor(y.shape(), 6));
    for (const NamedParameter& parameter : store.parameters()) {
      if (parameter.name == name) {
        const Scalar* data =
            gradients.data(parameter.block) + parameter.offset - store.block_begin(parameter.block);
        return Tensor::of(parameter.shape,
                          std::span(data, static_cast<std::size_t>(parameter.shape.size())));
      }
    }
    throw std::logic_error("no parameter " + name);
  }

  ParameterStore store;
  AttentionSpec spec;
  MultiHeadAttention attention;
  HeadSubstitute substitute{};
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
