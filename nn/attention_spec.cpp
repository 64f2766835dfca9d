#include "nn/attention_spec.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tapehead {

namespace {

constexpr Index usual_d_head = 64;  // Vaswani et al. 2017, section 3.2.2

const AttentionSettings& settings_of(const ModelOptions& options, AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder_self:
      return options.encoder_self;
    case AttentionKind::decoder_self:
      return options.decoder_self;
    default:
      return options.cross;
  }
}

// Looks an option up: in the kind's settings, then in those of all attention.
class Lookup {
 public:
  Lookup(const ModelOptions& options, AttentionKind kind, Index layer)
      : own_(settings_of(options, kind)), all_(options.attention), layer_(layer) {}

  template <class Value>
  const Value* find(Layered<Value> AttentionSettings::* option) const {
    for (const AttentionSettings* settings : {&own_, &all_}) {
      if ((settings->*option).given()) {
        return &(settings->*option).at(layer_);
      }
    }
    return nullptr;
  }
  template <class Value>
  Value get(Layered<Value> AttentionSettings::* option, const Value& otherwise) const {
    const Value* value = find(option);
    return value == nullptr ? otherwise : *value;
  }
  template <class Value>
  Value own(Layered<Value> AttentionSettings::* option, const Value& otherwise) const {
    return (own_.*option).given() ? (own_.*option).at(layer_) : otherwise;
  }

 private:
  const AttentionSettings& own_;
  const AttentionSettings& all_;
  Index layer_;
};

bool shares_value(Sharing sharing) {
  return sharing != Sharing::none && sharing != Sharing::query_key;
}

// Weights for each column that heads are wide, where all are of one width.
Index weights_per_column(const AttentionSpec& spec) {
  Index total = spec.combine == Combine::output ? spec.heads * spec.d_model : 0;
  for (const ProjectionSpec& projection : projections_of(spec)) {
    total += projection.heads * projection.in;
  }
  return total;
}

// The width of a head by the budget.
Index budgeted_width(const ModelOptions& options, HeadBudget budget, const AttentionSpec& spec) {
  const Index D = spec.d_model;
  switch (budget) {
    case HeadBudget::fixed_head_dim:
      return options.d_head.value_or(usual_d_head);
    case HeadBudget::iso_params: {
      const auto per_column = static_cast<double>(std::max<Index>(weights_per_column(spec), 1));
      const double width = 4 * static_cast<double>(D) * static_cast<double>(D) / per_column;
      return std::max<Index>(1, static_cast<Index>(std::llround(width)));
    }
    default:
      return std::max<Index>(1, D / std::max<Index>(spec.heads, 1));
  }
}

void set_widths(const ModelOptions& options, const Lookup& lookup, AttentionSpec& spec) {
  const HeadBudget* budget = lookup.find(&AttentionSettings::budget);
  const bool by_division = budget == nullptr ? !options.d_head : *budget == HeadBudget::fixed_width;
  Index width =
      budget == nullptr && options.d_head
          ? *options.d_head
          : budgeted_width(options, budget == nullptr ? HeadBudget::fixed_width : *budget, spec);
  const Index slice = std::max<Index>(1, spec.d_model / std::max<Index>(spec.heads, 1));
  if (spec.sharing == Sharing::identity) {
    width = spec.input == HeadInput::narrow ? slice : spec.d_model;
  } else if (spec.combine == Combine::concatenate) {
    width = slice;
  }
  Index value_width = width;
  if (spec.combine == Combine::mean || spec.combine == Combine::weighted) {
    value_width = spec.d_model;
  }
  const bool one_width = shares_value(spec.sharing);
  spec.heads_divide = !by_division || spec.heads == 0 || spec.d_model % spec.heads == 0 ||
                      spec.sharing == Sharing::identity ||
                      (lookup.find(&AttentionSettings::d_qk) != nullptr &&
                       lookup.find(&AttentionSettings::d_v) != nullptr);
  spec.d_v = lookup.get(&AttentionSettings::d_v, value_width);
  spec.d_qk = lookup.get(&AttentionSettings::d_qk, one_width ? spec.d_v : width);
}

}  // namespace

Index attention_layers(const ModelOptions& options, AttentionKind kind) {
  return kind == AttentionKind::encoder_self ? options.encoder_layers.value_or(options.layers)
                                             : options.decoder_layers.value_or(options.layers);
}

Index AttentionSpec::heads_with(Score of) const {
  Index count = 0;
  for (Index head = 0; head < heads; ++head) {
    count += score.at(head) == of ? 1 : 0;
  }
  return count;
}

Initializer AttentionSpec::first_numbers(Initializer own, Index rows_of_head) const {
  own.row_period = start == HeadStart::own ? 0 : rows_of_head;
  return own;
}

Index AttentionSpec::distance_buckets() const {
  const bool back = kind == AttentionKind::decoder_self;
  if (has_clip()) {
    return back ? clip + 1 : 2 * clip + 1;
  }
  return has(AttentionPositions::t5) ? (back ? buckets : buckets - 1) : 0;
}

std::vector<ProjectionSpec> projections_of(const AttentionSpec& spec) {
  const auto make = [&](std::string name, bool query, bool key, bool value) {
    const Index heads = query ? spec.heads : spec.kv_heads;
    return ProjectionSpec{.name = std::move(name),
                          .query = query,
                          .key = key,
                          .value = value,
                          .heads = spec.tied() ? 1 : heads,
                          .in = spec.input == HeadInput::narrow
                                    ? spec.d_model / std::max<Index>(heads, 1)
                                    : spec.d_model,
                          .width = query || key ? spec.d_qk : spec.d_v};
  };
  if (spec.heads == 0) {
    return {};
  }
  switch (spec.sharing) {
    case Sharing::none:
      return {make("query", true, false, false), make("key", false, true, false),
              make("value", false, false, true)};
    case Sharing::query_key:
      return {make("query_key", true, true, false), make("value", false, false, true)};
    case Sharing::key_value:
      return {make("query", true, false, false), make("key_value", false, true, true)};
    case Sharing::query_value:
      return {make("query_value", true, false, true), make("key", false, true, false)};
    case Sharing::all:
      return {make("query_key_value", true, true, true)};
    default:
      return {};
  }
}

AttentionSpec attention_spec(const ModelOptions& options, AttentionKind kind, Index layer) {
  using Settings = AttentionSettings;
  const Lookup lookup(options, kind, layer);
  AttentionSpec spec{.kind = kind, .d_model = options.d_model};
  spec.heads = lookup.get(&Settings::heads, options.heads);
  spec.kv_heads = lookup.get(&Settings::kv_heads, std::max<Index>(spec.heads, 1));
  spec.sharing = lookup.get(&Settings::sharing, Sharing::none);
  spec.head_weights = lookup.get(&Settings::head_weights, HeadWeights::own);
  spec.shared_as = lookup.get(&Settings::shared_as, std::string());
  spec.input = lookup.get(&Settings::input, HeadInput::wide);
  spec.combine = lookup.get(&Settings::combine, Combine::output);
  spec.score = lookup.get(&Settings::score, ByHead<Score>{{Score::dot}});
  spec.scale = lookup.get(&Settings::scale, ScoreScale::inverse_sqrt_d_qk);
  const ByHead<AttentionPattern> full{{AttentionPattern()}};
  if (spec.is_self()) {
    spec.positions = lookup.get(&Settings::positions, AttentionPositions::none);
    spec.pattern = lookup.get(&Settings::pattern, full);
  } else {
    spec.positions = lookup.own(&Settings::positions, AttentionPositions::none);
    spec.pattern = lookup.own(&Settings::pattern, full);
  }
  spec.clip = lookup.get(&Settings::clip, spec.clip);
  spec.buckets = lookup.get(&Settings::buckets, spec.buckets);
  spec.farthest = lookup.get(&Settings::farthest, spec.farthest);
  spec.dropout =
      lookup.get(&Settings::dropout, options.dropout_attention.value_or(options.dropout));
  spec.head_dropout = lookup.get(&Settings::head_dropout, 0.0);
  spec.gates = lookup.get(&Settings::gates, HeadGating::none);
  spec.start = lookup.get(&Settings::start, HeadStart::own);
  set_widths(options, lookup, spec);
  return spec;
}

}  // namespace tapehead
