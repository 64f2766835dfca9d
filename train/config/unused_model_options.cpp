#include "train/config/unused_model_options.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "nn/attention/spec.hpp"

namespace tapehead {

std::optional<Violation> unused_norm_bias(const Config& config) {
  const ModelOptions& model = config.model;
  if (model.bias_norm || model.norm == NormKind::layer_norm) {
    return {};
  }
  return Violation{{"model.bias_norm", "model.norm"},
                   model.norm == NormKind::rms_norm
                       ? "rms_norm never has a bias; leave out model.bias_norm"
                       : "there are no norms (false; allowed with model.norm none: true)"};
}

std::optional<Violation> unused_norm_options(const Config& config) {
  const ModelOptions& model = config.model;
  const ModelOptions defaults;
  const std::array changed{
      std::pair{"model.norm_epsilon", model.norm_epsilon != defaults.norm_epsilon},
      std::pair{"model.norm_position", model.norm_position != defaults.norm_position},
      std::pair{"model.embedding_norm", model.embedding_norm}};
  for (const auto& [option, is_changed] : changed) {
    if (model.norm == NormKind::none && is_changed) {
      return Violation{{option, "model.norm"},
                       "there are no norms (with model.norm none it keeps its default)"};
    }
  }
  return {};
}

std::optional<Violation> unused_depth_scale(const Config& config) {
  const ModelOptions& model = config.model;
  if (!model.initializer_depth_scale || model.feed_forward != FeedForwardKind::none) {
    return {};
  }
  const bool projected = std::ranges::any_of(attention_kinds, [&](AttentionKind kind) {
    return std::ranges::any_of(attention_specs(model, kind), [](const AttentionSpec& spec) {
      return spec.heads > 0 && spec.combine == Combine::output;
    });
  });
  if (projected) {
    return {};
  }
  return Violation{{"model.initializer_depth_scale", "attention.combine", "model.feed_forward"},
                   "no block ends with a map whose first weights it could scale"};
}

}  // namespace tapehead
