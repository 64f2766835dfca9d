#include "nn/attention/multi_head_attention.hpp"

#include "core/ops/concatenate.hpp"
#include "core/ops/heads/head_linear.hpp"
#include "core/ops/row_parts.hpp"
#include "nn/attention/model_rules.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The segments whose positions rotate queries and keys, if they differ from the given segments. In
// a stream, positions grow without limit; only differences matter, so first keys get position 0.
std::optional<std::pair<Segments, Segments>> rotary_segments(const AttentionSpec& spec,
                                                             const Segments& queries,
                                                             const Segments& keys) {
  const auto later = [](const Segment& segment) { return segment.position != 0; };
  if (!spec.has(AttentionPositions::rotary) || std::ranges::none_of(keys.list, later)) {
    return {};
  }
  std::pair<Segments, Segments> own{queries, keys};
  for (std::size_t i = 0; i < keys.list.size(); ++i) {
    own.first.list[i].position -= std::exchange(own.second.list[i].position, 0);
  }
  return own;
}

Tensor columns_of(const Tensor& matrix, const Segment& rows, Index first, Index count) {
  Tensor columns = Tensor::empty({rows.rows, count});
  for (Index i = 0; i < rows.rows; ++i) {
    std::copy_n(matrix.row(rows.row + i) + first, count, columns.row(i));
  }
  return columns;
}

}  // namespace

AttentionWeights::AttentionWeights(const Scope& scope, const ModelOptions& options,
                                   const AttentionSpec& spec)
    : path(scope.path()),
      projections(scope, options, spec),
      scores(scope, spec, options.max_positions),
      distances(scope, options, spec),
      gates(scope, spec),
      combination(scope, options, spec) {}

MultiHeadAttention::MultiHeadAttention(const Scope& scope, const AttentionSpec& of,
                                       AttentionSite at, const AttentionWeights& with)
    : spec(of),
      site(at),
      module{.paths = {scope.path()}, .heads = of.heads},
      pair_scores(with.scores.functions()),
      head_dropout_path((scope / "heads").path()),
      weights(with) {
  for (const AttentionPattern& pattern : spec.pattern.values) {
    patterns.push_back(pattern.pattern(spec.kind == AttentionKind::decoder_self));
  }
}

BlockOutput MultiHeadAttention::operator()(Pass& pass, const Var& x, const Segments& queries,
                                           const KeySource& from) const {
  if (spec.heads == 0) {
    const Var zeros = pass.tape().constant(Tensor::zeros({row_count(queries), spec.d_model}));
    return {zeros, pass.bias(weights.combination.output_bias, spec.d_model)};
  }
  const HeadProjections& project = weights.projections;
  const std::optional<Var> others =
      from.before ? join_sequences(from.before->rows, from.before->segments, x, queries)
                  : from.rows;
  const auto turned = rotary_segments(spec, queries, from.segments);
  const Segments& query_positions = turned ? turned->first : queries;
  const Segments& key_positions = turned ? turned->second : from.segments;
  HeadProjections::Of own = project.of(pass, x, others ? HeadRoles::query_only : HeadRoles::all);
  const HeadColumns projected = own.columns(HeadRole::query);
  pass.show(module.path(), "input", x);
  pass.show(module.path(), "query", projected, spec.heads, spec.d_qk);
  const HeadColumns query = weights.scores.query(pass, projected, query_positions);
  std::optional<KeysAndValues> to = from.rows && from.cache ? from.cache->context : std::nullopt;
  if (!to) {
    HeadProjections::Of of_others = project.of(pass, others.value_or(x), HeadRoles::key_and_value);
    HeadProjections::Of& from_rows = others ? of_others : own;
    const HeadColumns key = from_rows.columns(HeadRole::key);
    to = {.key = weights.scores.key(pass, key, others ? key_positions : query_positions),
          .value = from_rows.columns(HeadRole::value)};
    if (others) {
      pass.show(module.path(), "key_input", *others);
    }
    pass.show(module.path(), "key", key, spec.kv_heads, spec.d_qk);
    pass.show(module.path(), "value", to->value, spec.kv_heads, spec.d_v);
    if (from.cache != nullptr) {
      to = keep(pass, *to, queries, from);
    }
  }
  return attend(pass, query, *to, sink_query(pass, projected, query_positions), queries,
                from.segments);
}

// Stores new keys and values in the cache. Returns all keys and values to attend to.
KeysAndValues MultiHeadAttention::keep(Pass& pass, const KeysAndValues& made,
                                       const Segments& queries, const KeySource& from) const {
  if (from.rows) {
    return from.cache->context.emplace(made);
  }
  Tensor& kept = from.cache->rows;
  const auto copy = [](const HeadColumns& columns, Index row, Index count, Scalar* to) {
    return std::copy_n(columns.matrix.value().row(row) + columns.first, count, to);
  };
  for (Index i = 0; i < queries.count(); ++i) {
    const Segment& rows = queries[i];
    const Index first = from.segments[i].row + from.segments[i].rows - rows.rows;
    for (Index r = 0; r < rows.rows; ++r) {
      Scalar* values = copy(made.key, rows.row + r, key_columns(), kept.row(first + r));
      copy(made.value, rows.row + r, cache_columns() - key_columns(), values);
    }
  }
  const Var all = pass.tape().constant(kept);
  return {.key = {.matrix = all, .first = 0, .step = made.key.step},
          .value = {.matrix = all, .first = key_columns(), .step = made.value.step}};
}

void MultiHeadAttention::turn_back(Tensor kept, Index positions) const {
  if (spec.heads == 0 || !spec.has(AttentionPositions::rotary)) {
    return;
  }
  Tape tape(false);
  const Tensor turned =
      weights.scores.turned_back({tape.constant(kept)}, positions, key_columns() / spec.d_qk)
          .value();
  for (Index i = 0; i < kept.dim(0); ++i) {
    std::copy_n(turned.row(i), key_columns(), kept.row(i));
  }
}

void MultiHeadAttention::keep_heads(const KeptHeads& kept, HeadCopy& copy) const {
  weights.projections.keep_heads(kept, copy);
  weights.scores.keep_heads(kept, copy);
  weights.distances.keep_heads(kept, copy);
  copy.keep(weights.gates.log_alpha, {.which = kept, .of = spec.heads});
  copy.keep(weights.combination.output_weight,
            {.which = kept, .of = spec.heads, .rows = spec.d_model});
}

Index MultiHeadAttention::key_columns() const {
  return (spec.heads_alike() && weights.scores.alike() ? 1 : spec.kv_heads) * spec.d_qk;
}

Index MultiHeadAttention::cache_columns() const {
  return key_columns() + (spec.heads_alike() ? 1 : spec.kv_heads) * spec.d_v;
}

// With rotary positions, a query sees the sinks as near as in a cache of only the visible rows
// (Xiao et al. 2023, section 3.2). For this the query is rotated less, not the sinks' keys.
std::optional<HeadColumns> MultiHeadAttention::sink_query(Pass& pass, const HeadColumns& projected,
                                                          const Segments& positions) const {
  const auto with_sinks = std::ranges::find_if(patterns, &Pattern::sinks);
  if (!spec.has(AttentionPositions::rotary) || with_sinks == patterns.end()) {
    return {};
  }
  return weights.scores.query(pass, projected, positions, with_sinks->last_cached_position());
}

BlockOutput MultiHeadAttention::attend(Pass& pass, const HeadColumns& query,
                                       const KeysAndValues& to,
                                       const std::optional<HeadColumns>& of_sinks,
                                       const Segments& queries, const Segments& keys) const {
  const double scale = weights.scores.scale();
  const AttentionCall call{
      .query = weights.distances.with_content_bias(pass, query),
      .key = to.key,
      .value = to.value,
      .queries = queries,
      .keys = keys,
      .options = {.heads = spec.heads,
                  .d_key = spec.d_qk,
                  .d_value = spec.d_v,
                  .patterns = patterns,
                  .dropout = pass.dropout(spec.dropout, module.path(), queries),
                  .kv_heads = spec.kv_heads,
                  .scale = scale,
                  .scores = pair_scores},
      .bias = weights.distances(pass, query, scale),
      .score_weights = weights.scores.function_weights(pass),
      .sink_query = of_sinks};
  pass.show(module.path(), "query_content", call.query, spec.heads, spec.d_qk);
  if (pass.call_watcher) {
    pass.call_watcher(site, call);
  }
  Var side_by_side = [&] {
    const InModule here(pass.tape(), module);
    return attention_by(call);
  }();
  if (pass.recorder || pass.substitute) {
    side_by_side = studied(pass, call, side_by_side);
  }
  const Dropout dropout = pass.dropout(spec.head_dropout, head_dropout_path, queries);
  if (dropout.active()) {
    side_by_side = drop_heads({side_by_side}, queries, spec.heads, spec.d_v, dropout);
  }
  pass.show(module.path(), "output", side_by_side);
  const Var heads = weights.gates(pass, side_by_side);
  pass.show(module.path(), "heads", heads);
  return weights.combination(pass, heads);
}

AttentionMaker::AttentionMaker(const Scope& root, const ModelOptions& options)
    : root_(root), options_(options) {
  for (const auto rule : {attentions_compose, names_share, layer_groups_fit, prefix_fits}) {
    expect_none(rule(options));
  }
}

MultiHeadAttention AttentionMaker::make(const Scope& scope, AttentionSite site) {
  const AttentionSpec spec = attention_spec(options_, site.kind, site.layer);
  if (spec.shared_as.empty()) {
    return {scope, spec, site, AttentionWeights(scope, options_, spec)};
  }
  const Scope home = root_ / "shared" / spec.shared_as;
  const auto shared = shared_.try_emplace(spec.shared_as, home, options_, spec).first;
  return {scope, spec, site, shared->second};
}

// The heads' outputs, some of which the pass may substitute. Calls the recorder for all heads.
Var MultiHeadAttention::studied(Pass& pass, const AttentionCall& call, const Var& outputs) const {
  if (pass.substitute && outputs.needs_gradient()) {
    throw std::logic_error("heads with given weights have no gradients");
  }
  Tensor y = pass.substitute ? outputs.value().copy() : outputs.value();
  for (Index segment = 0; segment < call.queries.count(); ++segment) {
    const Segment& queries = call.queries[segment];
    for (Index head = 0; head < spec.heads; ++head) {
      std::optional<HeadAttention> seen =
          pass.substitute ? pass.substitute(site, head, queries, call.keys[segment]) : std::nullopt;
      if (seen) {
        attend_by(seen->weights, call, head, segment, y);
      }
      if (pass.recorder) {
        if (!seen) {
          seen = head_attention(call, segment, head);
        }
        pass.recorder({.site = site,
                       .segment = segment,
                       .head = head,
                       .weights = std::move(seen->weights),
                       .scores = std::move(seen->scores),
                       .output = columns_of(y, queries, head * spec.d_v, spec.d_v)});
      }
    }
  }
  return pass.substitute ? pass.tape().constant(y) : outputs;
}

// y_i = Σ_j w_ij (v_j + r_b). r_b is the bias on the values, if any, for the bucket of j - i.
void MultiHeadAttention::attend_by(const Tensor& weights_of_head, const AttentionCall& call,
                                   Index head, Index segment, Tensor& y) const {
  const Segment& queries = call.queries[segment];
  const Segment& keys = call.keys[segment];
  const HeadMatrix value = call.value.of(call.options.key_heads(), spec.d_v);
  const Tensor bias = call.bias.values ? call.bias.values->value() : Tensor();
  for (Index i = 0; i < queries.rows; ++i) {
    Scalar* row = y.row(queries.row + i) + head * spec.d_v;
    std::fill_n(row, spec.d_v, Scalar{0});
    for (Index j = 0; j < keys.rows; ++j) {
      const Scalar weight = weights_of_head.row(i)[j];
      add_multiple(spec.d_v, weight, value.at(keys.row + j, call.options.key_head(head)), row);
      if (bias.has_memory()) {
        const Index distance = keys.position + j - queries.position - i;
        add_multiple(spec.d_v, weight, bias.row(call.bias.buckets.at(distance)), row);
      }
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
