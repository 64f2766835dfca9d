// Resolves a config: sets each `auto` that other options determine.
#include <algorithm>

#include "nn/attention/resolved_attention.hpp"
#include "train/config/config.hpp"

namespace tapehead {
namespace {

template <class Value>
void fill(std::optional<Value>& option, Value value) {
  if (!option) {
    option = value;
  }
}

}  // namespace

Index automatic_shards(Index batch_tokens) { return std::clamp<Index>(batch_tokens / 1024, 2, 8); }

void resolve(Config& config) {
  ModelOptions& model = config.model;
  resolve_attention(model);  // first, because it checks whether d_head was given
  fill(model.d_head, std::max<Index>(model.d_model / model.heads, 1));
  fill(model.encoder_layers, model.layers_of(StackName::encoder));
  fill(model.decoder_layers, model.layers_of(StackName::decoder));
  // One value for one meaning: `auto` is also that of weights from before these options.
  if (!model.factored_embedding()) {
    model.d_embedding.reset();
  }
  if (model.layer_groups >= most_layers(model)) {
    model.layer_groups.reset();
  }
  fill(model.dropout_embedding, model.dropout);
  fill(model.dropout_attention, model.dropout);
  fill(model.dropout_residual, model.dropout);
  if (model.feed_forward != FeedForwardKind::none) {
    fill(model.d_ff, model.feed_forward_width());
    fill(model.dropout_feed_forward, model.dropout);
  }
  TrainingOptions& training = config.training;
  if (!training.steps && !training.minutes) {
    fill(training.epochs, Index{10});
  }
  if (training.memory > 0) {
    fill(config.evaluation.memory, training.memory);
  }
  fill(training.shards, automatic_shards(training.batch_tokens));
}

}  // namespace tapehead
