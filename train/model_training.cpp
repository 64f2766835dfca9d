#include "train/model_training.hpp"

#include "core/ops/arithmetic.hpp"
#include "core/ops/heads/head_linear.hpp"
#include "core/text.hpp"
#include "datasets/loader.hpp"
#include "datasets/text/text_options.hpp"
#include "nn/attention/spec.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

OpenHeads::OpenHeads(const Transformer& transformer) {
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    const Parameter& gates = attention->weights.gates.log_alpha;
    if (gates.declared() &&
        std::ranges::find(log_alphas_, gates.block, &Parameter::block) == log_alphas_.end()) {
      log_alphas_.push_back(gates);
      gated_ += attention->spec.heads;
    }
  }
}

Var OpenHeads::expected(Pass& pass) const {
  Var sum = open_gates(pass.parameter(log_alphas_.front()));
  for (const Parameter& log_alpha : log_alphas_ | std::views::drop(1)) {
    sum = add(sum, open_gates(pass.parameter(log_alpha)));
  }
  return sum;
}

double OpenHeads::expected(const ParameterStore& store) const {
  if (gated_ == 0) {
    return 0;
  }
  Tape tape(false);
  Pass pass(tape, store);
  return static_cast<double>(expected(pass).value().data()[0]);
}

PenaltyFunction gate_penalty(const Transformer& transformer, double weight) {
  OpenHeads heads(transformer);
  if (weight == 0 || heads.gated() == 0) {
    return {};
  }
  return [heads = std::move(heads), weight](Pass& pass) {
    return scale(heads.expected(pass), static_cast<Scalar>(weight));
  };
}

LossFunction training_loss(const Model& model, const Config& config) {
  const LossOptions options{.label_smoothing = config.training.label_smoothing};
  return [&transformer = model.transformer, options](Pass& pass, const Batch& batch) {
    return batch_loss(transformer, pass, batch, options);
  };
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

Trainer trainer_of(Model& model, const Config& config, const Team& team, Index total_steps) {
  return {model.store,
          team,
          {.training = config.training,
           .seed = config.seed,
           .d_model = config.model.d_model,
           .total_steps = total_steps,
           .penalty = gate_penalty(model.transformer, config.training.gate_penalty),
           .memory = memory_size(config)}};
}

void check_frozen(const LoadedConfig& loaded) {
  const std::string option = "training.freeze";
  check_frozen(loaded.config, fmt::format("{}: {}", loaded.origins.at(option), option));
}

void check_frozen(const Config& config, const std::string& place) {
  const std::vector<std::string>& patterns = config.training.freeze;
  if (patterns.empty()) {
    return;
  }
  // The names of parameters do not depend on the vocabularies.
  ParameterStore store(patterns);
  const Transformer declared(store.root(), config.model, {.context = 1, .input = 1, .labels = 1});
  std::vector<std::string> names = mapped(store.parameters(), &NamedParameter::name);
  for (const std::string& pattern : patterns) {
    if (std::ranges::none_of(names, [&](const auto& name) { return matches(pattern, name); })) {
      constexpr std::size_t shown_names = 3;  // those that need the fewest edits to match
      std::ranges::stable_sort(
          names, {}, [&](const std::string& name) { return pattern_distance(pattern, name); });
      names.resize(std::min(names.size(), shown_names));
      throw ConfigError("{}: the model has no parameter that {} matches (the nearest: {})", place,
                        shown(pattern), join(names, ", "));
    }
  }
  if (store.trained_count() == 0) {
    throw ConfigError("{}: no parameter is left to train", place);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
