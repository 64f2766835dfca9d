#include "train/model_training.hpp"

#include "datasets/loader.hpp"
#include "datasets/text/text_options.hpp"
#include "nn/attention/spec.hpp"
#include "nn/transformer/loss.hpp"
#include "train/step/gate_training.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

LossFunction training_loss(const Model& model, const Config& config) {
  return
      [&transformer = model.transformer,
       options = LossOptions{.label_smoothing = config.training.label_smoothing}](
          Pass& pass, const Batch& batch) { return batch_loss(transformer, pass, batch, options); };
}

PenaltyFunction training_penalty(const Model& model, const Config& config) {
  return gate_penalty(model.transformer, config.training.gate_penalty);
}

std::optional<LaneMemory::Size> memory_size(const Config& config) {
  const TrainingOptions& training = config.training;
  if (training.memory == 0) {
    return {};
  }
  const Index context = config.task.as<TextOptions>().context;
  return LaneMemory::Size{
      .lanes = lanes_of_batch(training.batch_tokens, context) * training.accumulate,
      .layers = attention_layers(config.model, AttentionKind::decoder_self),
      .rows = training.memory,
      .d_model = config.model.d_model};
}

Trainer trainer_of(Model& model, const Config& config, Workers& workers, Index total_steps,
                   Ranks& ranks) {
  Trainer trainer(model.store, workers,
                  {.training = config.training,
                   .seed = config.seed,
                   .d_model = config.model.d_model,
                   .total_steps = total_steps,
                   .penalty = training_penalty(model, config),
                   .memory = memory_size(config)},
                  ranks);
  scale_gate_rate(model.transformer, config.training.gate_rate, trainer.optimizer());
  return trainer;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
