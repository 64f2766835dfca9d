#include "train/config/model_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "nn/attention/attention_rules.hpp"

namespace tapehead {
namespace {

// The first layer that cannot have the weights of its group, if any.
std::optional<Index> unlike_its_group(const ModelOptions& model, AttentionKind kind) {
  const Index layers = attention_layers(model, kind);
  for (Index layer = 0; layer < layers; ++layer) {
    const Index first = model.first_of_group(layer, layers);
    if (!can_share_weights(attention_spec(model, kind, layer),
                           attention_spec(model, kind, first))) {
      return layer;
    }
  }
  return {};
}

}  // namespace

Index most_layers(const ModelOptions& model) {
  Index most = 0;
  for (const AttentionKind kind : attention_kinds) {
    most = std::max(most, attention_layers(model, kind));
  }
  return most;
}

std::optional<Violation> tied_output_fits(const Config& config) {
  const ModelOptions& model = config.model;
  if (!ties_output(model.tie_embeddings) || model.output_width() == model.embedding_width()) {
    return {};
  }
  return Violation{{"model.tie_embeddings", "model.d_embedding", "model.head_transform"},
                   fmt::format("an output layer that is the embedding needs rows as wide as it ({} "
                               "columns, model.d_embedding {}); set model.head_transform: masked, "
                               "or leave out model.d_embedding",
                               model.output_width(), model.embedding_width())};
}

std::optional<Violation> layer_groups_fit(const Config& config) {
  const ModelOptions& model = config.model;
  if (!model.layer_groups) {
    return {};
  }
  const Index most = most_layers(model);
  if (*model.layer_groups > most) {
    return Violation{
        {"model.layer_groups", "model.layers", "model.encoder_layers", "model.decoder_layers"},
        fmt::format("there are fewer layers than groups ({}; allowed: 1 to {})",
                    *model.layer_groups, most)};
  }
  for (const AttentionKind kind : attention_kinds) {
    if (const auto layer = unlike_its_group(model, kind)) {
      return Violation{{"model.layer_groups", "model.layers"},
                       fmt::format("layers that share weights may differ only in pattern and "
                                   "dropout, but {} in layer {} differs from layer {} in more",
                                   name_of(kind), *layer,
                                   model.first_of_group(*layer, attention_layers(model, kind)))};
    }
  }
  return {};
}

}  // namespace tapehead
