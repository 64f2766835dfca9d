#include "train/config/family_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "datasets/text/text_options.hpp"
#include "nn/attention/spec.hpp"
#include "train/options/application.hpp"

namespace tapehead {

// A section without attentions, or a stack that does not exist.
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
  if (!use.refused.empty()) {
    return Violation{{"model.family", "task.name"}, std::string(use.refused)};
  }
  if (!use.windows || config.model.prefix == SourceRows::causal) {
    return {};
  }
  return Violation{{"model.prefix", "task.name"},
                   "running text has no source, so a model of it has no prefix (allowed: causal)"};
}

std::optional<Violation> masks_are_for_encoders(const Config& config) {
  const auto* text = config.task.find<TextOptions>();
  const TextOptions defaults;
  if (text == nullptr || use_of(config).mask) {
    return {};
  }
  const bool words = text->mask_words;
  if (!words && text->mask_share == defaults.mask_share) {
    return {};
  }
  return Violation{{words ? "task.mask_words" : "task.mask_share", "model.family"},
                   "only an encoder predicts masked tokens"};
}

std::optional<Violation> begin_mark_is_used(const Config& config) {
  const auto* text = config.task.find<TextOptions>();
  if (text == nullptr || text->begin_mark) {
    return {};
  }
  const bool memory = std::max(config.training.memory, config.evaluation.memory.value_or(0)) > 0;
  if (use_of(config).mask) {
    return Violation{{"task.begin_mark", "model.family"},
                     "an encoder reads a begin mark in front of each window (allowed: true)"};
  }
  if (!text->stream && !memory) {
    return {};
  }
  return Violation{{"task.begin_mark", text->stream ? "task.stream" : "training.memory"},
                   fmt::format("{}, the text begins with a begin mark, and no document in it does "
                               "(allowed: true)",
                               text->stream ? "in a stream" : "with a memory")};
}

}  // namespace tapehead
