#include "nn/init.hpp"

namespace tapehead {

std::string AttentionSite::text() const {
  return fmt::format("{}.layers.{}.{}", name_of(stack()), layer, is_self() ? "self" : "cross");
}

Initializer weight_initializer(const ModelOptions& options, Index in, Index out) {
  const double gain = options.initializer_gain;
  const double deviation = gain * std::sqrt(2.0 / static_cast<double>(in + out));
  return options.initializer == InitKind::xavier_uniform
             ? Initializer::uniform(std::sqrt(3.0) * deviation)
             : Initializer::normal(options.initializer == InitKind::normal ? 0.02 * gain
                                                                           : deviation);
}

Initializer last_map_initializer(const ModelOptions& options, Index in, Index out,
                                 StackName stack) {
  Initializer initializer = weight_initializer(options, in, out);
  if (options.initializer_depth_scale) {  // each layer has up to three blocks
    const auto attentions = std::ranges::count_if(attention_kinds, [&](AttentionKind kind) {
      return stack_of(kind) == stack && options.traits().has(kind);
    });
    const Index feed_forward = options.feed_forward != FeedForwardKind::none ? 1 : 0;
    const Index blocks = options.layers_of(stack) * (attentions + feed_forward);
    initializer.value /= std::sqrt(static_cast<double>(blocks));
  }
  return initializer;
}

Initializer embedding_initializer(const ModelOptions& options, Index rows) {
  const auto columns = static_cast<double>(options.embedding_width());
  switch (options.embedding_initializer) {
    case EmbeddingInit::unit_normal:
      return Initializer::normal(1);
    case EmbeddingInit::xavier_uniform:
      return Initializer::uniform(std::sqrt(6 / (static_cast<double>(rows) + columns)));
    case EmbeddingInit::kaiming_normal:
      return Initializer::normal(std::sqrt(2 / columns));
    default:
      return standard_embedding_initializer(options);
  }
}

Initializer standard_embedding_initializer(const ModelOptions& options) {
  return Initializer::normal(options.embedding_scale == EmbeddingScale::none
                                 ? 0.02
                                 : 1 / std::sqrt(static_cast<double>(options.d_model)));
}

}  // namespace tapehead
