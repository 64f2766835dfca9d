#include "nn/attention_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
  Value get(Layered<Value> AttentionSettings::* option, Value otherwise) const {
    const Value* value = find(option);
    return value == nullptr ? otherwise : *value;
  }
  template <class Value>
  Value own(Layered<Value> AttentionSettings::* option, Value otherwise) const {
    return (own_.*option).given() ? (own_.*option).at(layer_) : otherwise;
  }

 private:
  const AttentionSettings& own_;
  const AttentionSettings& all_;
  Index layer_;
};

bool shares_query_and_key(Sharing sharing) {
  return sharing == Sharing::query_key || sharing == Sharing::all || sharing == Sharing::identity;
}
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

using Verdict = std::optional<SpecProblem>;

Verdict widths_fit(const AttentionSpec& spec) {
  const Index D = spec.d_model;
  if (!spec.heads_divide) {
    return SpecProblem{{"heads"},
                       fmt::format("heads must divide d_model ({} heads, d_model {}); change one "
                                   "of them, or give model.d_head",
                                   spec.heads, D)};
  }
  const bool divides = D % spec.heads == 0;
  if (!divides && (spec.input == HeadInput::narrow || spec.combine == Combine::concatenate)) {
    return SpecProblem{{"heads", "input", "combine"},
                       fmt::format("heads must divide d_model where each has its own columns of "
                                   "it ({} heads, d_model {})",
                                   spec.heads, D)};
  }
  if (spec.combine == Combine::concatenate && spec.output_columns() != D) {
    return SpecProblem{{"combine", "d_v", "heads"},
                       fmt::format("a concatenation alone must be as wide as the model ({} heads "
                                   "of d_v {}, d_model {})",
                                   spec.heads, spec.d_v, D)};
  }
  if ((spec.combine == Combine::mean || spec.combine == Combine::weighted) && spec.d_v != D) {
    return SpecProblem{{"combine", "d_v"},
                       fmt::format("a sum of heads needs values as wide as the model (d_v {}, "
                                   "d_model {})",
                                   spec.d_v, D)};
  }
  const Index identity = spec.input == HeadInput::narrow ? D / spec.heads : D;
  if (spec.sharing == Sharing::identity && (spec.d_qk != identity || spec.d_v != identity)) {
    return SpecProblem{{"sharing", "d_qk", "d_v", "input"},
                       fmt::format("without projections heads are as wide as their input ({}; d_qk "
                                   "{}, d_v {})",
                                   identity, spec.d_qk, spec.d_v)};
  }
  return {};
}

Verdict sharing_fits(const AttentionSpec& spec) {
  if (spec.kv_heads < 1 || spec.heads % spec.kv_heads != 0) {
    return SpecProblem{
        {"kv_heads", "heads"},
        fmt::format("must divide the heads ({} for {} heads)", spec.kv_heads, spec.heads)};
  }
  const bool with_query =
      shares_query_and_key(spec.sharing) || spec.sharing == Sharing::query_value;
  if (with_query && spec.kv_heads != spec.heads) {
    return SpecProblem{{"kv_heads", "sharing"},
                       fmt::format("queries can share weights with as many heads of keys and "
                                   "values alone ({} heads, kv_heads {})",
                                   spec.heads, spec.kv_heads)};
  }
  if (shares_value(spec.sharing) && spec.sharing != Sharing::identity && spec.d_qk != spec.d_v) {
    return SpecProblem{
        {"sharing", "d_qk", "d_v"},
        fmt::format("one weight has one width (d_qk {}, d_v {})", spec.d_qk, spec.d_v)};
  }
  if (spec.tied() && spec.sharing == Sharing::identity) {
    return SpecProblem{{"head_weights", "sharing"}, "identity has no weights to tie"};
  }
  if (spec.tied() && spec.kv_heads != spec.heads) {
    return SpecProblem{{"head_weights", "kv_heads"}, "tied heads have one set of weights anyway"};
  }
  return {};
}

Verdict scores_fit(const AttentionSpec& spec) {
  if (!spec.score.fits(spec.heads)) {
    return SpecProblem{{"score", "heads"},
                       fmt::format("a list has one value for each head ({} for {} heads)",
                                   spec.score.values.size(), spec.heads)};
  }
  if (spec.score.values.size() > 1 && spec.kv_heads != spec.heads) {
    return SpecProblem{{"score", "kv_heads"},
                       "heads that share keys must score them alike: give one score for all"};
  }
  if (!spec.pattern.fits(spec.heads)) {
    return SpecProblem{{"pattern", "heads"},
                       fmt::format("a list has one value for each head ({} for {} heads)",
                                   spec.pattern.values.size(), spec.heads)};
  }
  if (!spec.has(AttentionPositions::none) && !spec.is_self()) {
    return SpecProblem{{"positions"},
                       "cross-attention has no distances: source and target count positions apart"};
  }
  if (spec.has(AttentionPositions::t5) && spec.farthest <= spec.buckets / 2) {
    return SpecProblem{
        {"farthest", "buckets"},
        fmt::format("half of the buckets hold one distance each, so farthest must be "
                    "more than that (buckets {}, farthest {})",
                    spec.buckets, spec.farthest)};
  }
  if (spec.has(AttentionPositions::rotary) && spec.d_qk % 2 != 0) {
    return SpecProblem{
        {"positions", "d_qk", "heads"},
        fmt::format("rotary turns pairs of columns, so d_qk must be even ({})", spec.d_qk)};
  }
  return {};
}

Verdict start_fits(const AttentionSpec& spec) {
  if (spec.start == HeadStart::own) {
    return {};
  }
  if (spec.sharing == Sharing::identity) {
    return SpecProblem{{"start", "sharing"}, "identity has no weights that could start equal"};
  }
  if (spec.tied() && spec.start == HeadStart::identical_projections) {
    return SpecProblem{{"start", "head_weights"}, "tied heads are identical anyway"};
  }
  if (spec.start == HeadStart::identical && spec.combine != Combine::output) {
    return SpecProblem{{"start", "combine"},
                       "there is no output weight that could start equal; identical_projections "
                       "makes the others so"};
  }
  return {};
}

// One value where all layers have the same.
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

}  // namespace

Index attention_layers(const ModelOptions& options, AttentionKind kind) {
  return kind == AttentionKind::encoder_self ? options.encoder_layers.value_or(options.layers)
                                             : options.decoder_layers.value_or(options.layers);
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
  spec.start = lookup.get(&Settings::start, HeadStart::own);
  set_widths(options, lookup, spec);
  return spec;
}

Verdict spec_problem(const AttentionSpec& spec) {
  if (spec.heads == 0) {
    return {};
  }
  for (const auto check : {sharing_fits, widths_fit, scores_fit, start_fits}) {
    if (Verdict verdict = check(spec)) {
      return verdict;
    }
  }
  return {};
}

bool can_share_weights(const AttentionSpec& a, const AttentionSpec& b) {
  AttentionSpec like_a = b;
  like_a.kind = a.kind;
  like_a.pattern = a.pattern;
  like_a.dropout = a.dropout;
  like_a.head_dropout = a.head_dropout;
  return like_a == a && a.distance_buckets() == b.distance_buckets();
}

namespace {

Index position_parameters(const AttentionSpec& spec) {
  const Index B = spec.distance_buckets();
  switch (spec.positions) {
    case AttentionPositions::relative:
      return B * (spec.d_qk + spec.d_v);
    case AttentionPositions::relative_keys:
      return B * spec.d_qk;
    case AttentionPositions::transformer_xl:  // a map of sines, and two vectors for each head
      return spec.heads * spec.d_qk * (spec.d_model + 2);
    case AttentionPositions::t5:
      return spec.heads * B;
    default:
      return 0;
  }
}

}  // namespace

Index attention_parameters(const AttentionSpec& spec) {
  const Index D = spec.d_model;
  if (spec.heads == 0) {
    return D;
  }
  Index total = D;
  for (const ProjectionSpec& projection : projections_of(spec)) {
    total += projection.heads * projection.width * (projection.in + 1);
  }
  for (Index head = 0; head < spec.heads; ++head) {
    total += spec.score.at(head) == Score::bilinear ? spec.d_qk * spec.d_qk : 0;
  }
  total += position_parameters(spec);
  total += spec.scale == ScoreScale::learned ? spec.heads : 0;
  total += spec.combine == Combine::output ? spec.output_columns() * D : 0;
  total += spec.combine == Combine::weighted ? spec.heads : 0;
  return total;
}

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
  settings.start = over_layers<HeadStart>(layers, [](const Spec& s) { return s.start; });
  return settings;
}

std::vector<AttentionSpec> attention_specs(const ModelOptions& options, AttentionKind kind) {
  std::vector<AttentionSpec> specs;
  for (Index layer = 0; layer < attention_layers(options, kind); ++layer) {
    specs.push_back(attention_spec(options, kind, layer));
  }
  return specs;
}

void resolve_attention(ModelOptions& options) {
  const ModelOptions before = options;
  options.encoder_self = settings_of(attention_specs(before, AttentionKind::encoder_self));
  options.decoder_self = settings_of(attention_specs(before, AttentionKind::decoder_self));
  options.cross = settings_of(attention_specs(before, AttentionKind::cross));
}

}  // namespace tapehead
