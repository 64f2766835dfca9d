#include "nn/attention_resolve.hpp"

#include <algorithm>

namespace tapehead {

namespace {

template <class Value, class Get>
Layered<Value> over_layers(const std::vector<AttentionSpec>& specs, const Get& get) {
  Layered<Value> result;
  for (const AttentionSpec& spec : specs) {
    result.values.push_back(get(spec));
  }
  if (!result.values.empty() && std::ranges::all_of(result.values, [&](const Value& value) {
        return value == result.values.front();
      })) {
    result.values.erase(result.values.begin() + 1, result.values.end());
  }
  return result;
}

std::vector<AttentionSpec> attention_specs(const ModelOptions& options, AttentionKind kind) {
  std::vector<AttentionSpec> specs;
  for (Index layer = 0; layer < attention_layers(options, kind); ++layer) {
    specs.push_back(attention_spec(options, kind, layer));
  }
  return specs;
}

}  // namespace

AttentionSettings settings_of(const std::vector<AttentionSpec>& layers) {
  using Spec = AttentionSpec;
  AttentionSettings settings;
  settings.heads = over_layers<Index>(layers, [](const Spec& s) { return s.heads; });
  settings.kv_heads = over_layers<Index>(layers, [](const Spec& s) { return s.kv_heads; });
  settings.d_qk = over_layers<Index>(layers, [](const Spec& s) { return s.d_qk; });
  settings.d_v = over_layers<Index>(layers, [](const Spec& s) { return s.d_v; });
  settings.sharing = over_layers<Sharing>(layers, [](const Spec& s) { return s.sharing; });
  settings.head_weights =
      over_layers<HeadWeights>(layers, [](const Spec& s) { return s.head_weights; });
  settings.shared_as = over_layers<std::string>(layers, [](const Spec& s) { return s.shared_as; });
  settings.input = over_layers<HeadInput>(layers, [](const Spec& s) { return s.input; });
  settings.combine = over_layers<Combine>(layers, [](const Spec& s) { return s.combine; });
  settings.score = over_layers<ByHead<Score>>(layers, [](const Spec& s) { return s.score; });
  settings.scale = over_layers<ScoreScale>(layers, [](const Spec& s) { return s.scale; });
  settings.positions =
      over_layers<AttentionPositions>(layers, [](const Spec& s) { return s.positions; });
  settings.clip = over_layers<Index>(layers, [](const Spec& s) { return s.clip; });
  settings.buckets = over_layers<Index>(layers, [](const Spec& s) { return s.buckets; });
  settings.farthest = over_layers<Index>(layers, [](const Spec& s) { return s.farthest; });
  settings.pattern =
      over_layers<ByHead<AttentionPattern>>(layers, [](const Spec& s) { return s.pattern; });
  settings.dropout = over_layers<double>(layers, [](const Spec& s) { return s.dropout; });
  settings.head_dropout = over_layers<double>(layers, [](const Spec& s) { return s.head_dropout; });
  settings.gates = over_layers<HeadGating>(layers, [](const Spec& s) { return s.gates; });
  settings.start = over_layers<HeadStart>(layers, [](const Spec& s) { return s.start; });
  return settings;
}

AttentionSpec without_unused(AttentionSpec spec) {
  const AttentionSpec defaults;
  if (!spec.has_clip()) {
    spec.clip = defaults.clip;
  }
  if (!spec.has(AttentionPositions::t5)) {
    spec.buckets = defaults.buckets;
    spec.farthest = defaults.farthest;
  }
  return spec;
}

void resolve_attention(ModelOptions& options) {
  const ModelOptions before = options;
  options.encoder_self = settings_of(attention_specs(before, AttentionKind::encoder_self));
  options.decoder_self = settings_of(attention_specs(before, AttentionKind::decoder_self));
  options.cross = settings_of(attention_specs(before, AttentionKind::cross));
}

}  // namespace tapehead
