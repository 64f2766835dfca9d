// The correct models that wiring faults are planted in, and their expected results.
#pragma once

#include "tests/nn/wiring/loss.hpp"
#include "tests/support/pytorch.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

// The options in scripts/make_pytorch_fixtures.py.
inline ModelOptions options_of(Base base) {
  ModelOptions options;
  options.d_model = 12;
  options.heads = 3;
  options.d_ff = 20;
  options.layers = 2;
  options.dropout = 0;
  options.activation = Activation::gelu;
  if (base == Base::post_norm) {
    options.norm_position = NormPosition::post;
    options.activation = Activation::relu;
  } else if (base == Base::tied) {
    options.tie_embeddings = Tying::target_output;
  } else if (base == Base::shared) {
    options.encoder_layers = 1;
  } else if (base == Base::dropout) {
    options.dropout_residual = 0.2;
  }
  return options;
}

inline TensorFile fixture_of(Base base) {
  return pytorch_fixture(base == Base::post_norm ? "post_norm" : "pre_norm");
}

inline std::unique_ptr<WiredModel> right_model(Base base) {
  auto model = std::make_unique<WiredModel>(options_of(base));
  load_parameters(model->store, fixture_of(base));
  if (base == Base::shared) {
    model->encoder.push_back(model->encoder.front());
  }
  return model;
}

struct Computed {
  double loss;
  std::map<std::string, Tensor> gradients;  // by parameter name
};

inline Computed computed(const WiredModel& model) {
  ParameterGradients gradients(model.store);
  Computed result{.loss = loss_of(model, &gradients), .gradients = {}};
  for (const NamedParameter& parameter : model.store.parameters()) {
    Tensor gradient = Tensor::zeros(parameter.shape);
    if (gradients.written(parameter.block)) {
      const Index place = parameter.offset - model.store.block_begin(parameter.block);
      std::copy_n(gradients.data(parameter.block) + place, gradient.size(), gradient.data());
    }
    result.gradients.emplace(parameter.name, gradient);
  }
  return result;
}

inline Computed by_pytorch(Base base) {
  const TensorFile file = fixture_of(base);
  const auto model = right_model(base);
  Computed result{.loss = tensor_of(file, "loss", {1}).data()[0], .gradients = {}};
  for (const NamedParameter& parameter : model->store.parameters()) {
    result.gradients.emplace(parameter.name,
                             tensor_of(file, "gradient." + parameter.name, parameter.shape));
  }
  return result;
}

// Maps a parameter of the pre-norm model to the parameter that replaces it in a sharing model.
inline std::string name_where_shared(Base base, std::string name) {
  constexpr std::string_view second_layer = "encoder.layers.1.";
  if (base == Base::tied && name == "output.weight") {
    return "target.embedding";
  }
  if (base == Base::shared && name.starts_with(second_layer)) {
    return name.replace(0, second_layer.size(), "encoder.layers.0.");
  }
  return name;
}

// The expected result of a model that shares parameters: the pre-norm model, which agrees with
// PyTorch, with copies in place of shared parameters; the gradients of the copies are added.
inline Computed by_adding_up(Base base) {
  const auto model = right_model(Base::pre_norm);
  std::map<std::string, Tensor> values;
  for (const NamedParameter& parameter : model->store.parameters()) {
    values.emplace(parameter.name, model->store.value(parameter));
  }
  for (auto& [name, value] : values) {
    std::ranges::copy(values.at(name_where_shared(base, name)).values(), value.data());
  }
  Computed result = computed(*model);
  for (const auto& [name, value] : values) {
    const std::string kept = name_where_shared(base, name);
    if (kept != name) {
      const Tensor second = result.gradients.extract(name).mapped();
      Tensor& sum = result.gradients.at(kept);
      std::ranges::transform(sum.values(), second.values(), sum.data(), std::plus<>());
    }
  }
  return result;
}

// PyTorch's result for the correct model; none for dropout.
inline std::optional<Computed> reference_of(Base base) {
  if (base == Base::dropout) {
    return {};
  }
  return base == Base::tied || base == Base::shared ? by_adding_up(base) : by_pytorch(base);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
