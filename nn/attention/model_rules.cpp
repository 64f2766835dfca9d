#include "nn/attention/model_rules.hpp"

namespace tapehead {

namespace {

using Found = std::optional<Violation>;

Found widths_fit(const AttentionSpec& spec) {
  const Index D = spec.d_model;
  const Index identity = spec.input_columns();
  const bool own_columns = spec.input == HeadInput::narrow || spec.combine == Combine::concatenate;
  return first_violation(
      {violation_if(!spec.heads_divide, {"heads"},
                    "heads must divide d_model ({} heads, d_model {}); change one of them, or give "
                    "model.d_head",
                    spec.heads, D),
       violation_if(own_columns && D % spec.heads != 0, {"heads", "input", "combine"},
                    "heads must divide d_model if each head has its own columns of d_model ({} "
                    "heads, d_model {})",
                    spec.heads, D),
       violation_if(spec.combine == Combine::concatenate && spec.output_columns() != D,
                    {"combine", "d_v", "heads"},
                    "without an output projection, heads times d_v must equal d_model ({} heads, "
                    "d_v {}, d_model {})",
                    spec.heads, spec.d_v, D),
       violation_if(spec.adds_heads() && spec.d_v != D, {"combine", "d_v"},
                    "to add heads, d_v must equal d_model (d_v {}, d_model {})", spec.d_v, D),
       violation_if(
           spec.sharing == Sharing::identity && (spec.d_qk != identity || spec.d_v != identity),
           {"sharing", "d_qk", "d_v", "input"},
           "without projections, d_qk and d_v must equal the input width of a head ({}; d_qk {}, "
           "d_v {})",
           identity, spec.d_qk, spec.d_v),
       violation_if(spec.sharing == Sharing::identity_query && spec.d_qk != identity,
                    {"sharing", "d_qk", "input"},
                    "queries are the input, so d_qk must equal the input width ({}; d_qk {})",
                    identity, spec.d_qk)});
}

Found sharing_fits(const AttentionSpec& spec) {
  const bool with_query = spec.sharing == Sharing::query_key || spec.sharing == Sharing::all ||
                          spec.sharing == Sharing::identity || spec.sharing == Sharing::query_value;
  return first_violation(
      {violation_if(spec.kv_heads < 1 || spec.heads % spec.kv_heads != 0, {"kv_heads", "heads"},
                    "must divide the heads ({} for {} heads)", spec.kv_heads, spec.heads),
       violation_if(with_query && spec.kv_heads != spec.heads, {"kv_heads", "sharing"},
                    "queries can share weights with keys or values only if kv_heads equals heads "
                    "({} heads, kv_heads {})",
                    spec.heads, spec.kv_heads),
       violation_if(
           shares_value(spec.sharing) && spec.sharing != Sharing::identity && spec.d_qk != spec.d_v,
           {"sharing", "d_qk", "d_v"}, "a shared weight needs equal widths (d_qk {}, d_v {})",
           spec.d_qk, spec.d_v),
       violation_if(spec.tied() && spec.sharing == Sharing::identity, {"head_weights", "sharing"},
                    "identity has no weights to tie"),
       violation_if(spec.tied() && spec.kv_heads != spec.heads, {"head_weights", "kv_heads"},
                    "tied heads have one set of weights, so leave out kv_heads")});
}

// A violation for the first list over heads whose length is not the number of heads.
Found lists_fit(const AttentionSpec& spec) {
  Found verdict;
  const auto check = [&]<class Value>(const Field& field, const Value& value) {
    if constexpr (requires { value.fits(spec.heads); }) {
      if (!verdict) {
        verdict = violation_if(!value.fits(spec.heads), {std::string(field.name), "heads"},
                               "a list needs one value for each head ({} for {} heads)",
                               value.values.size(), spec.heads);
      }
    }
  };
  AttentionSpec::walk(check, spec);
  return verdict;
}

Found scores_fit(const AttentionSpec& spec) {
  const bool rotary = spec.has(AttentionPositions::rotary);
  const bool t5 = spec.has(AttentionPositions::t5);
  auto with_sinks = spec.pattern.values | std::views::filter(&AttentionPattern::has_sinks);
  const bool one_sink_window =
      std::ranges::adjacent_find(with_sinks, std::not_equal_to()) == with_sinks.end();
  return first_violation(
      {violation_if(spec.score.values.size() > 1 && spec.kv_heads != spec.heads,
                    {"score", "kv_heads"},
                    "heads that share keys must score them alike: give one score for all"),
       violation_if(
           !spec.has(AttentionPositions::none) && !spec.is_self(), {"positions"},
           "cross-attention has no distances: source and target count positions separately"),
       violation_if(t5 && spec.farthest <= spec.buckets / 2, {"farthest", "buckets"},
                    "half of the buckets hold one distance each, so farthest must be more than "
                    "buckets / 2 (buckets {}, farthest {})",
                    spec.buckets, spec.farthest),
       violation_if(t5 && !spec.looks_back() && spec.buckets % 2 != 0, {"buckets"},
                    "each of two directions has half of the buckets, so buckets must be even ({})",
                    spec.buckets),
       violation_if(rotary && spec.heads_with(Score::additive) > 0, {"score", "positions"},
                    "rotary positions act on products of queries and keys, which additive scores "
                    "do not have"),
       violation_if(rotary && !one_sink_window, {"pattern", "positions"},
                    "with rotary positions, all heads with sinks must have the same sink_window"),
       violation_if(rotary && spec.d_qk % 2 != 0, {"positions", "d_qk", "heads"},
                    "rotary turns pairs of columns, so d_qk must be even ({})", spec.d_qk)});
}

Found start_fits(const AttentionSpec& spec) {
  return first_violation(
      {violation_if(spec.start != HeadStart::own && spec.sharing == Sharing::identity,
                    {"start", "sharing"}, "identity has no weights that could start equal"),
       violation_if(spec.start == HeadStart::identical_projections && spec.tied(),
                    {"start", "head_weights"}, "tied heads are identical anyway"),
       violation_if(spec.start == HeadStart::identical && spec.combine != Combine::output,
                    {"start", "combine"},
                    "there is no output weight that could start equal; use identical_projections "
                    "for the other weights")});
}

// The options that may have set an option of attention, most likely first.
std::vector<std::string> attention_options(AttentionKind kind,
                                           const std::vector<std::string>& options) {
  std::vector<std::string> names;
  for (const std::string& option : options) {
    names.push_back(fmt::format("{}.{}", name_of(kind), option));
    names.push_back("attention." + option);
  }
  names.insert(names.end(), {"model.heads", "model.d_head", "model.d_model"});
  return names;
}

}  // namespace

Found spec_violation(const AttentionSpec& spec) {
  if (spec.heads == 0) {
    return {};
  }
  for (const auto check : {sharing_fits, widths_fit, lists_fit, scores_fit, start_fits}) {
    if (Found verdict = check(spec)) {  // a later check relies on the earlier ones
      return verdict;
    }
  }
  return {};
}

bool heads_are_copies(const AttentionSpec& spec) {
  // Each head has its own numbers: u and v, the biases of the buckets, the slopes.
  constexpr std::array own_positions{AttentionPositions::transformer_xl, AttentionPositions::t5,
                                     AttentionPositions::alibi};
  const bool one_key = spec.kv_heads == 1 && spec.input == HeadInput::wide;
  const bool alike = spec.heads_alike() || (spec.sharing == Sharing::identity_query && one_key);
  // With a bilinear or additive score, each head has its own weights.
  const auto same_score = [first = spec.score.at(0)](Score score) {
    return score == first && (score == Score::dot || score == Score::cosine);
  };
  return spec.heads > 1 && alike && std::ranges::all_of(spec.score.values, same_score) &&
         std::ranges::count(own_positions, spec.positions) == 0 &&
         spec.scale != ScoreScale::learned &&
         std::ranges::adjacent_find(spec.pattern.values, std::ranges::not_equal_to()) ==
             spec.pattern.values.end();
}

bool can_share_weights(const AttentionSpec& a, const AttentionSpec& b) {
  AttentionSpec like_a = b;
  like_a.kind = a.kind;
  like_a.take_from(a, &AttentionField::may_differ);
  return like_a == a && a.distance_buckets() == b.distance_buckets();
}

Found attentions_compose(const ModelOptions& model) {
  for (const AttentionSpec& spec : attention_specs(model)) {
    if (const Found found = spec_violation(spec)) {
      return Violation{attention_options(spec.kind, found->options), found->problem};
    }
  }
  return {};
}

Found names_share(const ModelOptions& model) {
  const std::vector<AttentionSpec> specs = attention_specs(model);
  for (const AttentionSpec& spec : specs) {
    const auto first = std::ranges::find(specs, spec.shared_as, &AttentionSpec::shared_as);
    if (!spec.shared_as.empty() && !can_share_weights(spec, *first)) {
      return Violation{attention_options(spec.kind, {"shared_as"}),
                       fmt::format("attentions that share weights may differ only in pattern and "
                                   "dropout ({}: {} and {} differ in more)",
                                   spec.shared_as, name_of(first->kind), name_of(spec.kind))};
    }
  }
  return {};
}

Found layer_groups_fit(const ModelOptions& model) {
  if (!model.layer_groups) {
    return {};
  }
  if (const Index most = most_layers(model); *model.layer_groups > most) {
    return Violation{
        {"model.layer_groups", "model.layers", "model.encoder_layers", "model.decoder_layers"},
        fmt::format("there are fewer layers than groups ({}; allowed: 1 to {})",
                    *model.layer_groups, most)};
  }
  for (const AttentionKind kind : attention_kinds) {
    const std::vector<AttentionSpec> specs = attention_specs(model, kind);
    for (std::size_t layer = 0; layer < specs.size(); ++layer) {
      const Index first = model.first_of_group(static_cast<Index>(layer), std::ssize(specs));
      if (!can_share_weights(specs[layer], specs[static_cast<std::size_t>(first)])) {
        return Violation{{"model.layer_groups", "model.layers"},
                         fmt::format("layers that share weights may differ only in pattern and "
                                     "dropout, but {} in layer {} differs from layer {} in more",
                                     name_of(kind), layer, first)};
      }
    }
  }
  return {};
}

Found prefix_fits(const ModelOptions& model) {
  if (model.prefix == SourceRows::causal) {
    return {};
  }
  if (!model.traits().one_sequence) {
    return Violation{{"model.prefix", "model.family"},
                     "only a decoder that reads the source itself has a prefix"};
  }
  for (const AttentionSpec& spec : attention_specs(model, AttentionKind::decoder_self)) {
    for (const AttentionPattern& pattern : spec.pattern.values) {
      if (!pattern.takes_prefix()) {
        return Violation{
            attention_options(AttentionKind::decoder_self, {"pattern"}),
            fmt::format("{} cannot be combined with model.prefix: full (allowed: full, "
                        "causal, window)",
                        pattern.text())};
      }
    }
  }
  return {};
}

Found tied_source_exists(const ModelOptions& model) {
  return violation_if(
      ties_source(model.tie_embeddings) && !model.traits().context,
      {"model.tie_embeddings", "model.family"},
      "there is one embedding, for source and target (allowed: none, target_output)");
}

Found tied_output_fits(const ModelOptions& model) {
  return violation_if(
      ties_output(model.tie_embeddings) && model.output_width() != model.embedding_width(),
      {"model.tie_embeddings", "model.d_embedding", "model.head_transform"},
      "an output layer tied to the embedding must be as wide as the embedding ({} columns, "
      "model.d_embedding {}); set model.head_transform: masked, or leave out model.d_embedding",
      model.output_width(), model.embedding_width());
}

void expect_none(const Found& found) {
  if (found) {
    throw ConfigError("{}: {}", found->options.front(), found->problem);
  }
}

}  // namespace tapehead
