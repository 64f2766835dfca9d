#include "nn/attention/spec.hpp"

namespace tapehead {

namespace {

constexpr Index usual_d_head = 64;  // Vaswani et al. 2017, section 3.2.2

// D / H, but at least 1.
Index slice_width(const AttentionSpec& spec) {
  return std::max<Index>(1, spec.d_model / std::max<Index>(spec.heads, 1));
}

// Sets the widths that are not given. Some follow from other options, the rest become `width`.
void set_free_widths(const AttentionSettings& said, Index width, AttentionSpec& spec) {
  if (spec.sharing == Sharing::identity) {
    width = spec.input_columns();
  } else if (spec.combine == Combine::concatenate) {
    width = slice_width(spec);
  }
  if (!said.d_v.given()) {
    spec.d_v = spec.adds_heads() ? spec.d_model : width;
  }
  if (!said.d_qk.given()) {
    spec.d_qk = shares_value(spec.sharing)                ? spec.d_v
                : spec.sharing == Sharing::identity_query ? spec.input_columns()
                                                          : width;
  }
}

// The width w for which the attention has closest to 4 D² weights. The number of weights is a + b
// w; a counts weights whose widths are given or follow from other options.
Index iso_params_width(const AttentionSettings& said, AttentionSpec spec) {
  const auto weights_at = [&](Index width) {
    set_free_widths(said, width, spec);
    Index total = spec.combine == Combine::output ? spec.output_columns() * spec.d_model : 0;
    for (const ProjectionSpec& projection : projections_of(spec)) {
      total += projection.heads * projection.in * projection.width;
    }
    return static_cast<double>(total);
  };
  const auto D = static_cast<double>(spec.d_model);
  const double fixed = weights_at(0);
  const double per_column = std::max(weights_at(1) - fixed, 1.0);
  return std::max<Index>(1, static_cast<Index>(std::llround((4 * D * D - fixed) / per_column)));
}

}  // namespace

Index attention_layers(const ModelOptions& options, AttentionKind kind) {
  return options.traits().has(kind) ? options.layers_of(stack_of(kind)) : 0;
}

Index most_layers(const ModelOptions& options) {
  const auto layers = [&](AttentionKind kind) { return attention_layers(options, kind); };
  return std::ranges::max(attention_kinds | std::views::transform(layers));
}

Index AttentionSpec::heads_with(Score of, Index before) const {
  const auto has_score = [&](Index head) { return score.at(head) == of; };
  return static_cast<Index>(std::ranges::count_if(numbers_below(before), has_score));
}

std::vector<Index> AttentionSpec::key_heads(const std::vector<Index>& of) const {
  std::vector<Index> keys = mapped(of, [&](Index head) { return key_head(head); });
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  return keys;
}

Initializer AttentionSpec::first_numbers(Initializer own, Index rows_of_head) const {
  own.row_period = start == HeadStart::own ? 0 : rows_of_head;
  return own;
}

Index AttentionSpec::distance_buckets() const {
  const bool back = looks_back();
  if (has_clip()) {
    return back ? clip + 1 : 2 * clip + 1;
  }
  return has(AttentionPositions::t5) ? (back ? buckets : buckets - 1) : 0;
}

std::vector<ProjectionSpec> projections_of(const AttentionSpec& spec) {
  // The weights for each Sharing. A name says what the weight makes.
  constexpr std::array<std::string_view, 7> weights{"query,key,value", "query_key,value",
                                                    "query,key_value", "query_value,key",
                                                    "query_key_value", "",
                                                    "key,value"};
  std::vector<ProjectionSpec> projections;
  if (spec.heads == 0) {
    return projections;
  }
  for (const auto word : std::views::split(weights[static_cast<std::size_t>(spec.sharing)], ',')) {
    const std::string name(word.begin(), word.end());
    const auto makes = [&](const char* role) { return name.find(role) != std::string::npos; };
    const bool query = makes("query");
    const bool key = makes("key");
    const Index heads = query ? spec.heads : spec.kv_heads;
    const Index narrow = spec.d_model / std::max<Index>(heads, 1);
    projections.push_back({.name = name,
                           .query = query,
                           .key = key,
                           .value = makes("value"),
                           .heads = spec.tied() ? 1 : heads,
                           .in = spec.input == HeadInput::narrow ? narrow : spec.d_model,
                           .width = query || key ? spec.d_qk : spec.d_v});
  }
  return projections;
}

AttentionSettings merged_settings(const ModelOptions& options, AttentionKind kind) {
  AttentionSettings merged = options.settings(kind);
  AttentionSettings::walk(
      [&](const AttentionField& field, auto& own, const auto& all) {
        if (!own.given() && (!field.of_self || kind != AttentionKind::cross)) {
          own = all;
        }
      },
      merged, options.attention);
  return merged;
}

AttentionSpec attention_spec(const ModelOptions& options, AttentionKind kind, Index layer) {
  const AttentionSettings said = merged_settings(options, kind);
  AttentionSpec spec;
  spec.kind = kind;
  spec.d_model = options.d_model;
  spec.biases = options.bias_attention;
  spec.sees_prefix = kind == AttentionKind::decoder_self && options.prefix == SourceRows::full;
  spec.heads = options.heads;
  spec.dropout = options.dropout_attention.value_or(options.dropout);
  AttentionSpec::walk(
      [&](const AttentionField& field, const auto& option, auto& value) {
        if (option.given() && !field.decides_others) {
          value = option.at(layer);
        }
      },
      said, spec);
  if (!said.kv_heads.given()) {
    spec.kv_heads = std::max<Index>(spec.heads, 1);
  }
  const HeadBudget usual = options.d_head ? HeadBudget::fixed_head_dim : HeadBudget::fixed_width;
  const HeadBudget budget = said.budget.given() ? said.budget.at(layer) : usual;
  const Index width = budget == HeadBudget::fixed_head_dim ? options.d_head.value_or(usual_d_head)
                      : budget == HeadBudget::iso_params   ? iso_params_width(said, spec)
                                                           : slice_width(spec);
  set_free_widths(said, width, spec);
  spec.heads_divide = budget != HeadBudget::fixed_width || spec.heads == 0 ||
                      spec.d_model % spec.heads == 0 || spec.sharing == Sharing::identity ||
                      ((said.d_qk.given() || spec.sharing == Sharing::identity_query) &&
                       (said.d_v.given() || spec.adds_heads()));
  return spec;
}

std::vector<AttentionSpec> attention_specs(const ModelOptions& options, AttentionKind kind) {
  return mapped(numbers_below(attention_layers(options, kind)),
                [&](Index layer) { return attention_spec(options, kind, layer); });
}

std::vector<AttentionSpec> attention_specs(const ModelOptions& options) {
  std::vector<AttentionSpec> all;
  for (const AttentionKind kind : attention_kinds) {
    std::ranges::move(attention_specs(options, kind), std::back_inserter(all));
  }
  return all;
}

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
  const auto join_equal_layers = [](const Field&, auto& option) {
    auto& values = option.values;
    if (std::ranges::adjacent_find(values, std::not_equal_to()) == values.end()) {
      values.erase(std::ranges::unique(values).begin(), values.end());
    }
  };
  AttentionSettings::walk(join_equal_layers, settings);
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

// A weight that query, key and value share is used once for each input: in self-attention once.
AttentionWork attention_work(const AttentionSpec& spec) {
  AttentionWork work;
  for (const ProjectionSpec& projection : projections_of(spec)) {
    // Tied heads that get slices of the input use their shared weight once for each slice.
    const Index slices = spec.tied() ? spec.d_model / projection.in : projection.heads;
    const auto uses = static_cast<double>(slices * projection.in * projection.width);
    const bool on_keys = projection.key || projection.value;
    work.query_row += projection.query || spec.is_self() ? uses : 0;
    (spec.is_self() ? work.past_row : work.key_row) += on_keys ? uses : 0;
  }
  work.query_row += static_cast<double>(spec.heads_with(Score::bilinear) * spec.d_qk * spec.d_qk);
  if (spec.has_clip()) {  // products of each query with a vector per distance
    work.query_row += static_cast<double>(spec.heads * spec.distance_buckets() * spec.d_qk);
  }
  if (spec.has(AttentionPositions::relative)) {
    work.query_row += static_cast<double>(spec.heads * spec.distance_buckets() * spec.d_v);
  }
  if (spec.combine == Combine::output) {
    work.output_row = static_cast<double>(spec.output_columns() * spec.d_model);
  }
  return work;
}

}  // namespace tapehead
