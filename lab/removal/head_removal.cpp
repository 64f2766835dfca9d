// Makes a model from another model: a smaller one without some heads, or one whose attentions and
// layers share no weights, so that a change acts at one site only.
#include "lab/removal/head_removal.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

KeptHeads heads_left(const MultiHeadAttention& attention, const HeadNames& removed) {
  KeptHeads left = mapped(numbers_below(attention.spec.heads), std::identity());
  std::erase_if(left, [&](Index head) {
    return std::ranges::count(removed, HeadName{attention.site, head}) > 0;
  });
  return left;
}

void expect_removable(const Transformer& transformer, const MultiHeadAttention& attention,
                      const std::vector<Index>& left) {
  const AttentionSpec& spec = attention.spec;
  const auto refuse = [&](std::string_view why) {
    throw ConfigError("heads of {} cannot be removed: {}", attention.site.text(), why);
  };
  if (const std::string_view why = why_none_goes(transformer, attention); !why.empty()) {
    refuse(why);
  }
  const std::vector<Index> keys = spec.key_heads(left);
  const auto serves = [&](Index key) {
    return std::ranges::count_if(left, [&](Index head) { return spec.key_head(head) == key; });
  };
  if (std::ranges::any_of(keys, [&](Index key) { return serves(key) != serves(keys.front()); })) {
    refuse("the heads that are left would share keys in unequal groups");
  }
}

template <class Value>
Value only(const Value& of_all_heads, const std::vector<Index>& /*left*/) {
  return of_all_heads;
}

template <class Value>
ByHead<Value> only(const ByHead<Value>& values, const std::vector<Index>& left) {
  if (values.values.size() == 1 || left.empty()) {
    return {{values.at(0)}};
  }
  return {mapped(left, [&](Index head) { return values.at(head); })};
}

// The scopes in which a model declares its parameters. Their order does not depend on which scopes
// are shared. An attention's scope does not include its norm, even if the norm's name suggests it.
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

}  // namespace

std::string_view why_none_goes(const Transformer& model, const MultiHeadAttention& attention) {
  const AttentionSpec& spec = attention.spec;
  if (spec.combine != Combine::output) {
    return "they have no output projection of their own";
  }
  if (model.shares_weights(attention)) {
    return "other attentions share their weights (model.layer_groups, shared_as)";
  }
  if (spec.has(AttentionPositions::alibi)) {
    return "each head's slope depends on its number and on the number of heads (alibi)";
  }
  if (spec.input == HeadInput::narrow) {
    return "each head sees a slice of the input that depends on its number (input: narrow)";
  }
  return "";
}

ModelOptions options_without(const ModelOptions& options, const Transformer& transformer,
                             const HeadNames& removed) {
  for (const HeadName& head : removed) {
    attention_of(transformer, head);  // throws if the head does not exist
  }
  std::map<AttentionKind, std::vector<AttentionSpec>> specs;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    const std::vector<Index> left = heads_left(*attention, removed);
    if (std::ssize(left) < attention->spec.heads) {
      expect_removable(transformer, *attention, left);
    }
    AttentionSpec spec = attention->spec;
    spec.heads = std::ssize(left);
    spec.kv_heads = std::max<Index>(1, std::ssize(attention->spec.key_heads(left)));
    AttentionSpec::walk([&](const auto&, auto& value) { value = only(value, left); }, spec);
    specs[spec.kind].push_back(without_unused(spec));
  }
  ModelOptions smaller = options;
  smaller.attention = {};
  for (const AttentionKind kind : attention_kinds) {
    smaller.settings(kind) = settings_of(specs[kind]);
  }
  return smaller;
}

void keep_weights(const Model& from, const HeadNames& removed, Model& to) {
  HeadCopy copy(from.store, to.store);
  for (const MultiHeadAttention* attention : from.transformer.attentions()) {
    const std::vector<Index> left = heads_left(*attention, removed);
    if (std::ssize(left) < attention->spec.heads) {
      attention->keep_heads(left, copy);
    }
  }
  copy.run();
}

bool shares_weights(const Transformer& transformer) {
  return std::ranges::any_of(transformer.attentions(), [&](const MultiHeadAttention* attention) {
    return transformer.shares_weights(*attention);
  });
}

std::unique_ptr<Model> with_weights_apart(const Model& model, const Config& config) {
  Config own = config;
  own.model.layer_groups.reset();
  own.model.attention.shared_as.values.clear();
  for (const AttentionKind kind : attention_kinds) {
    own.model.settings(kind).shared_as.values.clear();
  }
  auto apart = std::make_unique<Model>(own, model.transformer.vocabularies(), FirstWeights::zeros);
  const std::vector<std::string> scopes = scopes_of(apart->transformer);
  const std::vector<std::string> others = scopes_of(model.transformer);
  for (const NamedParameter& parameter : apart->store.parameters()) {
    const auto depth = [&](const std::string& scope) {
      return lies_in(parameter.name, scope) ? std::ssize(scope) : -1;
    };
    const auto innermost = std::ranges::max_element(scopes, {}, depth);
    const std::string name = others[static_cast<std::size_t>(innermost - scopes.begin())] +
                             parameter.name.substr(innermost->size());
    const NamedParameter* const other = model.store.find(name);
    if (other == nullptr || other->shape != parameter.shape) {
      throw std::logic_error(fmt::format("nothing has the values of {}", parameter.name));
    }
    std::ranges::copy(model.store.value(*other).values(),
                      apart->store.value(parameter).values().begin());
  }
  return apart;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
