#include "train/config/family_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "datasets/text/labelled_options.hpp"
#include "datasets/text/text_options.hpp"
#include "nn/attention/spec.hpp"

namespace tapehead {

// A section without attentions, or a stack that does not exist.
std::optional<Violation> parts_exist(const Config& config) {
  const ModelOptions& model = config.model;
  if (model.family != Family::encoder && model.decoder_layers == Index{0}) {
    return Violation{{"model.decoder_layers", "model.family"},
                     "a decoder has one layer or more (0; allowed: 1 to 256)"};
  }
  if (model.family == Family::encoder_decoder) {
    return {};
  }
  const bool decoder = model.family == Family::decoder;
  const std::string_view only = decoder ? "a decoder" : "an encoder";
  for (const AttentionKind kind : attention_kinds) {
    std::optional<Violation> said;
    AttentionSettings::walk(
        [&](const Field& field, const auto& option) {
          if (option.given() && !said) {
            const std::string name = fmt::format("{}.{}", name_of(kind), field.name);
            said = Violation{{name, "model.family"},
                             fmt::format("a model that is only {} has no such attention; leave "
                                         "out {}",
                                         only, name)};
          }
        },
        model.settings(kind));
    if (said && attention_layers(model, kind) == 0) {
      return said;
    }
  }
  const auto& layers = decoder ? model.encoder_layers : model.decoder_layers;
  if (layers.value_or(0) > 0) {
    return Violation{{decoder ? "model.encoder_layers" : "model.decoder_layers", "model.family"},
                     fmt::format("a model that is only {} has no {} ({})", only,
                                 decoder ? "encoder" : "decoder", *layers)};
  }
  return {};
}

std::optional<Violation> text_has_one_stack(const Config& config) {
  const TaskKind& kind = config.task.kind();
  const ModelOptions& model = config.model;
  if (kind.examples == ExampleKind::pairs) {
    return {};
  }
  if (model.family == Family::encoder_decoder) {
    return Violation{{"model.family", "task.name"},
                     kind.of_text() ? "running text has no source and target (allowed: decoder, "
                                      "for a language model; encoder, for a masked one)"
                                    : "a class is no target that a decoder could write (allowed: "
                                      "encoder, decoder)"};
  }
  if (!kind.of_text()) {
    return {};
  }
  if (model.prefix == SourceRows::causal) {
    return {};
  }
  return Violation{{"model.prefix", "task.name"},
                   "running text has no source, so a model of it has no prefix (allowed: causal)"};
}

// With each token as a class of its own, or as what is read.
std::optional<Violation> classes_are_no_entries(const Config& config) {
  if (!config.task.kind().of_classes() || config.model.tie_embeddings == Tying::none) {
    return {};
  }
  return Violation{{"model.tie_embeddings", "model.preset", "task.name"},
                   "the outputs are classes, not entries of the vocabulary (allowed: none)"};
}

std::optional<Violation> types_suffice(const Config& config) {
  const auto* text = config.task.find<LabelledTextOptions>();
  if (text == nullptr || text->texts < 2 || config.model.token_types != 1) {
    return {};
  }
  return Violation{{"model.token_types", "task.texts"},
                   "tokens of two texts have two types (1; allowed: 0 for no types, 2 or more)"};
}

std::optional<Violation> masks_are_for_encoders(const Config& config) {
  const auto* text = config.task.find<TextOptions>();
  const TextOptions defaults;
  if (text == nullptr || config.model.family == Family::encoder) {
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
  if (config.model.family == Family::encoder) {
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
