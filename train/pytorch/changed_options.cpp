#include "train/pytorch/changed_options.hpp"

#include <algorithm>
#include <string_view>

#include "nn/attention/resolved_attention.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"

namespace tapehead {

namespace {

// A config in which every attention has the options of AttentionSpec().
Config defaults_of(const Config& config) {
  Config defaults = config_for(config.task.kind());
  for (const AttentionKind kind : attention_kinds) {
    std::vector<AttentionSpec> layers;
    for (const AttentionSpec& own : attention_specs(config.model, kind)) {
      layers.emplace_back().kv_heads = own.heads;
    }
    defaults.model.settings(kind) = settings_of(layers);
  }
  return defaults;
}

std::vector<std::string_view> sections_of(const ModelOptions& model) {
  std::vector<std::string_view> names{"model"};
  for (const AttentionKind kind : attention_kinds) {
    if (attention_layers(model, kind) > 0) {
      names.push_back(name_of(kind));
    }
  }
  return names;
}

}  // namespace

std::vector<ChangedOption> changed_options(const Config& config) {
  Config own = config;  // rows point into their config
  Config usual = defaults_of(config);
  const std::vector<Section> own_sections = sections(own);
  const std::vector<Section> usual_sections = sections(usual);
  const std::vector<std::string_view> of_model = sections_of(config.model);
  std::vector<ChangedOption> changed;
  for (std::size_t i = 0; i < own_sections.size(); ++i) {
    const Section& section = own_sections[i];
    const bool wanted = std::ranges::find(of_model, section.name) != of_model.end();
    for (std::size_t j = 0; wanted && j < section.rows.size(); ++j) {
      const Field& field = section.rows[j].field;
      const std::string value = write_value(section.rows[j]);
      if (!field.keeps_meaning && value != write_value(usual_sections[i].rows[j])) {
        changed.push_back({.section = std::string(section.name),
                           .name = std::string(field.name),
                           .value = value});
      }
    }
  }
  return changed;
}

}  // namespace tapehead
