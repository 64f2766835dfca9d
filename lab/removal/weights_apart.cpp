// Takes attentions and layers apart that share weights, so that a change of one acts at one site.
#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The scopes in which a model's parameters are declared, in an order that does not depend on which
// of them are shared. The norm beside an attention is no part of it, even if its name is.
std::vector<std::string> scopes_of(const Transformer& transformer) {
  std::vector<std::string> scopes{transformer.output().module.path()};
  for (const Stack* stack : transformer.stacks()) {
    scopes.insert(scopes.end(), {stack->embedding.module.path(), stack->path});
    for (const Layer& layer : stack->layers) {
      scopes.insert(scopes.end(), {layer.path, layer.self_residual.norm.path});
      if (layer.cross) {
        scopes.push_back(layer.cross->residual.norm.path);
      }
    }
  }
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    scopes.push_back(attention->weights.path);
  }
  return scopes;
}

Config config_apart(Config config) {
  config.model.layer_groups.reset();
  config.model.attention.shared_as.values.clear();
  for (const AttentionKind kind : attention_kinds) {
    config.model.settings(kind).shared_as.values.clear();
  }
  return config;
}

// The name in the other model, whose scopes are these: in the innermost one that it lies in.
std::string name_in(const std::string& name, const std::vector<std::string>& scopes,
                    const std::vector<std::string>& others) {
  const auto depth = [&](const std::string& scope) {
    return lies_in(name, scope) ? std::ssize(scope) : -1;
  };
  const auto innermost = std::ranges::max_element(scopes, {}, depth);
  return others[static_cast<std::size_t>(innermost - scopes.begin())] +
         name.substr(innermost->size());
}

}  // namespace

bool shares_weights(const Transformer& transformer) {
  return std::ranges::any_of(transformer.attentions(), [&](const MultiHeadAttention* attention) {
    return transformer.shares_weights(*attention);
  });
}

std::unique_ptr<Model> with_weights_apart(const Model& model, const Config& config) {
  auto apart = std::make_unique<Model>(config_apart(config), model.transformer.vocabularies(),
                                       FirstWeights::zeros);
  const std::vector<std::string> scopes = scopes_of(apart->transformer);
  const std::vector<std::string> others = scopes_of(model.transformer);
  for (const NamedParameter& parameter : apart->store.parameters()) {
    const std::string name = name_in(parameter.name, scopes, others);
    const auto other = std::ranges::find(model.store.parameters(), name, &NamedParameter::name);
    if (other == model.store.parameters().end() || other->shape != parameter.shape) {
      throw std::logic_error(fmt::format("nothing has the values of {}", parameter.name));
    }
    std::ranges::copy(model.store.value(*other).values(),
                      apart->store.value(parameter).values().begin());
  }
  return apart;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
