#include "train/config/memory_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/text/text_options.hpp"
#include "nn/attention/spec.hpp"
#include "train/options/application.hpp"

namespace tapehead {

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
  if (model.positions != PositionKind::none) {
    return Violation{{option, "model.positions"},
                     "with a memory, positions cannot be those in a window; set model.positions: "
                     "none, and attention.positions to a scheme of distances, such as "
                     "transformer_xl"};
  }
  const auto self = attention_specs(model, AttentionKind::decoder_self);
  if (std::ranges::any_of(self, &AttentionSpec::has_sinks)) {
    return Violation{{option, "attention.pattern"},
                     "a memory forgets the first tokens of a text, which a sink_window needs"};
  }
  if (config.evaluation.stride) {
    return Violation{{"evaluation.stride", option},
                     "with a memory, windows do not overlap (allowed: auto)"};
  }
  if (trained > 0 && config.training.batch_lengths != BatchLengths::alike) {
    return Violation{{"training.batch_lengths", option},
                     "with a memory, a batch has the next window of each lane (allowed: alike)"};
  }
  if (text->context + memory > model.max_positions) {
    return Violation{
        {"model.max_positions", "task.context", option},
        fmt::format(
            "too few positions for windows of {} tokens and {}: {} ({}; allowed: {} or more)",
            text->context, option, memory, model.max_positions, text->context + memory)};
  }
  return {};
}

}  // namespace tapehead
