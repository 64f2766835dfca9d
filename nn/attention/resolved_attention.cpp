#include "nn/attention/resolved_attention.hpp"

#include <algorithm>
#include <functional>

namespace tapehead {

AttentionSettings settings_of(const std::vector<AttentionSpec>& layers) {
  AttentionSettings settings;
  for (const AttentionSpec& layer : layers) {
    AttentionSettings::walk(
        [](const AttentionField& field, auto& option, const auto& value) {
          if (!field.decides_others) {
            option.values.push_back(value);
          }
        },
        settings, layer);
  }
  settings.fields([](const Field&, auto& option) {
    auto& values = option.values;
    if (std::ranges::adjacent_find(values, std::not_equal_to()) == values.end()) {
      values.erase(std::ranges::unique(values).begin(), values.end());
    }
  });
  return settings;
}

AttentionSpec without_unused(AttentionSpec spec) {
  spec.take_from(AttentionSpec(), [positions = spec.positions](const AttentionField& field) {
    return !field.used_with(positions);
  });
  return spec;
}

void resolve_attention(ModelOptions& options) {
  const ModelOptions before = options;
  for (const AttentionKind kind : attention_kinds) {
    options.settings(kind) = settings_of(attention_specs(before, kind));
  }
}

}  // namespace tapehead
