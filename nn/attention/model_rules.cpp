#include "nn/attention/model_rules.hpp"

namespace tapehead {

namespace {

using Found = std::optional<Violation>;

// The options that may have set an option of attention, the likeliest first.
std::vector<std::string> attention_options(AttentionKind kind,
                                           const std::vector<std::string>& options) {
  std::vector<std::string> names;
  for (const std::string& option : options) {
    names.push_back(fmt::format("{}.{}", name_of(kind), option));
    names.push_back("attention." + option);
  }
  names.insert(names.end(), {"model.heads", "model.d_head", "model.d_model"});
  return names;
}

}  // namespace

Found attentions_compose(const ModelOptions& model) {
  for (const AttentionKind kind : attention_kinds) {
    for (const AttentionSpec& spec : attention_specs(model, kind)) {
      if (const auto found = spec_violation(spec)) {
        return Violation{attention_options(kind, found->options), found->problem};
      }
    }
  }
  return {};
}

Found names_share(const ModelOptions& model) {
  std::map<std::string, AttentionSpec> first;
  for (const AttentionKind kind : attention_kinds) {
    for (const AttentionSpec& spec : attention_specs(model, kind)) {
      if (spec.shared_as.empty()) {
        continue;
      }
      const auto [other, fresh] = first.emplace(spec.shared_as, spec);
      if (!fresh && !can_share_weights(spec, other->second)) {
        return Violation{attention_options(kind, {"shared_as"}),
                         fmt::format("attentions that share weights may differ only in pattern and "
                                     "dropout ({}: {} and {} do not)",
                                     spec.shared_as, name_of(other->second.kind), name_of(kind))};
      }
    }
  }
  return {};
}

Found layer_groups_fit(const ModelOptions& model) {
  if (!model.layer_groups) {
    return {};
  }
  if (const Index most = most_layers(model); *model.layer_groups > most) {
    return Violation{
        {"model.layer_groups", "model.layers", "model.encoder_layers", "model.decoder_layers"},
        fmt::format("there are fewer layers than groups ({}; allowed: 1 to {})",
                    *model.layer_groups, most)};
  }
  for (const AttentionKind kind : attention_kinds) {
    const std::vector<AttentionSpec> specs = attention_specs(model, kind);
    for (std::size_t layer = 0; layer < specs.size(); ++layer) {
      const Index first = model.first_of_group(static_cast<Index>(layer), std::ssize(specs));
      if (!can_share_weights(specs[layer], specs[static_cast<std::size_t>(first)])) {
        return Violation{{"model.layer_groups", "model.layers"},
                         fmt::format("layers that share weights may differ only in pattern and "
                                     "dropout, but {} in layer {} differs from layer {} in more",
                                     name_of(kind), layer, first)};
      }
    }
  }
  return {};
}

Found prefix_fits(const ModelOptions& model) {
  if (model.prefix == SourceRows::causal) {
    return {};
  }
  if (!model.traits().one_sequence) {
    return Violation{{"model.prefix", "model.family"},
                     "only a decoder that reads the source itself has a prefix"};
  }
  for (const AttentionSpec& spec : attention_specs(model, AttentionKind::decoder_self)) {
    for (const AttentionPattern& pattern : spec.pattern.values) {
      if (!pattern.takes_prefix()) {
        return Violation{
            attention_options(AttentionKind::decoder_self, {"pattern"}),
            fmt::format("{} cannot be combined with model.prefix: full (allowed: full, "
                        "causal, window)",
                        pattern.text())};
      }
    }
  }
  return {};
}

Found tied_source_exists(const ModelOptions& model) {
  if (!ties_source(model.tie_embeddings) || model.traits().context) {
    return {};
  }
  return Violation{{"model.tie_embeddings", "model.family"},
                   "there is one embedding, for source and target (allowed: none, target_output)"};
}

Found tied_output_fits(const ModelOptions& model) {
  if (!ties_output(model.tie_embeddings) || model.output_width() == model.embedding_width()) {
    return {};
  }
  return Violation{{"model.tie_embeddings", "model.d_embedding", "model.head_transform"},
                   fmt::format("an output layer that is the embedding needs rows as wide as it ({} "
                               "columns, model.d_embedding {}); set model.head_transform: masked, "
                               "or leave out model.d_embedding",
                               model.output_width(), model.embedding_width())};
}

void expect_none(const Found& found) {
  if (found) {
    throw ConfigError(fmt::format("{}: {}", found->options.front(), found->problem));
  }
}

}  // namespace tapehead
