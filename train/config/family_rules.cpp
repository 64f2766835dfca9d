// Rules about the family of a model: its parts, its tasks, and its memory of running text.
#include "train/config/rules.hpp"

#include "datasets/text/text_options.hpp"
#include "nn/attention/spec.hpp"
#include "train/options/application.hpp"

namespace tapehead {

// Rejects options of attentions and stacks that the family does not have.
std::optional<Violation> parts_exist(const Config& config) {
  const ModelOptions& model = config.model;
  const FamilyTraits& family = model.traits();
  if (family.has(StackName::decoder) && model.decoder_layers == Index{0}) {
    return Violation{{"model.decoder_layers", "model.family"},
                     "a decoder has one layer or more (0; allowed: 1 to 256)"};
  }
  if (family.context) {
    return {};
  }
  for (const AttentionKind kind : attention_kinds) {
    std::optional<Violation> said;
    AttentionSettings::walk(
        [&](const Field& field, const auto& option) {
          if (option.given() && !said) {
            const std::string name = fmt::format("{}.{}", name_of(kind), field.name);
            said = Violation{{name, "model.family"},
                             fmt::format("a model that is only {} has no such attention; leave "
                                         "out {}",
                                         family.alone, name)};
          }
        },
        model.settings(kind));
    if (said && attention_layers(model, kind) == 0) {
      return said;
    }
  }
  for (const StackName stack : stack_names) {
    const Index layers = model.own_layers(stack).value_or(0);
    if (!family.has(stack) && layers > 0) {
      return Violation{{fmt::format("model.{}_layers", name_of(stack)), "model.family"},
                       fmt::format("a model that is only {} has no {} ({})", family.alone,
                                   name_of(stack), layers)};
    }
  }
  return {};
}

std::optional<Violation> text_has_one_stack(const Config& config) {
  const Use& use = use_of(config);
  return first_violation(
      {violation_if(!use.refused.empty(), {"model.family", "task.name"}, "{}", use.refused),
       violation_if(use.windows && config.model.prefix != SourceRows::causal,
                    {"model.prefix", "task.name"},
                    "running text has no source, so its model has no prefix (allowed: causal)")});
}

std::optional<Violation> begin_mark_is_used(const Config& config) {
  const auto* text = config.task.find<TextOptions>();
  if (text == nullptr || text->begin_mark) {
    return {};
  }
  const bool memory = std::max(config.training.memory, config.evaluation.memory.value_or(0)) > 0;
  return first_violation(
      {violation_if(use_of(config).mask, {"task.begin_mark", "model.family"},
                    "an encoder reads a begin mark in front of each window (allowed: true)"),
       violation_if(
           text->stream || memory,
           {"task.begin_mark", text->stream ? "task.stream" : "training.memory"},
           "{}, only the start of the text has a begin mark, not each document (allowed: true)",
           text->stream ? "in a stream" : "with a memory")});
}

std::optional<Violation> memory_fits(const Config& config) {
  const Index trained = config.training.memory;
  const Index memory = std::max(trained, config.evaluation.memory.value_or(0));
  if (memory == 0) {
    return {};
  }
  const std::string option = memory == trained ? "training.memory" : "evaluation.memory";
  const ModelOptions& model = config.model;
  const auto* text = config.task.find<TextOptions>();
  if (!use_of(config).continues()) {
    return Violation{{option, text == nullptr ? "task.name" : "model.family"},
                     "a memory is for language models (task.name: text, model.family: decoder)"};
  }
  const auto self = attention_specs(model, AttentionKind::decoder_self);
  const Index rows = text->context + memory;
  return first_violation(
      {violation_if(
           model.positions != PositionKind::none, {option, "model.positions"},
           "with a memory, positions within the window cannot be used; set model.positions: none, "
           "and attention.positions to a scheme of distances, such as transformer_xl"),
       violation_if(std::ranges::any_of(self, &AttentionSpec::has_sinks),
                    {option, "attention.pattern"},
                    "a memory forgets the first tokens of a text, which a sink_window needs"),
       violation_if(config.evaluation.stride.has_value(), {"evaluation.stride", option},
                    "with a memory, windows do not overlap (allowed: auto)"),
       violation_if(trained > 0 && config.training.batch_lengths != BatchLengths::alike,
                    {"training.batch_lengths", option},
                    "with a memory, a batch has the next window of each lane (allowed: alike)"),
       violation_if(
           rows > model.max_positions, {"model.max_positions", "task.context", option},
           "too few positions for windows of {} tokens and {}: {} ({}; allowed: {} or more)",
           text->context, option, memory, model.max_positions, rows)});
}

}  // namespace tapehead
