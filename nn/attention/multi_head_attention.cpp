#include "nn/attention/multi_head_attention.hpp"

#include <algorithm>
#include <utility>

#include "core/ops/concatenate.hpp"
#include "core/ops/heads/head_scaling.hpp"
#include "nn/attention/model_rules.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

PoolVector<Pattern> pattern_list_of(const AttentionSpec& spec) {
  PoolVector<Pattern> patterns;
  for (const AttentionPattern& pattern : spec.pattern.values) {
    patterns.push_back(pattern.pattern(spec.kind == AttentionKind::decoder_self));
  }
  return patterns;
}

// The segments by which rotary positions turn queries and keys. In a stream, positions grow without
// limit, but only their differences matter: the first key of each sequence counts as position 0.
struct RotaryPositions {
  RotaryPositions(const AttentionSpec& spec, const Segments& of_queries, const Segments& of_keys)
      : queries_(of_queries), keys_(of_keys) {
    if (spec.has(AttentionPositions::rotary)) {
      own_ = {of_queries, of_keys};
      for (std::size_t i = 0; i < of_keys.list.size(); ++i) {
        own_->first.list[i].position -= std::exchange(own_->second.list[i].position, 0);
      }
    }
  }
  const Segments& queries() const { return own_ ? own_->first : queries_; }
  const Segments& keys() const { return own_ ? own_->second : keys_; }

 private:
  const Segments& queries_;
  const Segments& keys_;
  std::optional<std::pair<Segments, Segments>> own_;  // where it makes a difference
};

// Copies the columns of a row into a row of the cache.
Scalar* keep(const HeadColumns& columns, Index row, Index count, Scalar* to) {
  return std::copy_n(columns.matrix.value().row(row) + columns.first, count, to);
}

}  // namespace

AttentionWeights::AttentionWeights(const Scope& scope, const ModelOptions& options,
                                   const AttentionSpec& spec, AttentionInputs inputs)
    : path(scope.path()),
      projections(scope, options, spec, inputs),
      scores(scope, spec, options.max_positions),
      distances(scope, options, spec),
      gates(scope, spec),
      combination(scope, options, spec) {}

MultiHeadAttention::MultiHeadAttention(const Scope& scope, const ModelOptions& options,
                                       const AttentionSpec& of, AttentionInputs which,
                                       AttentionSite at)
    : MultiHeadAttention(scope, of, which, at, AttentionWeights(scope, options, of, which)) {}

MultiHeadAttention::MultiHeadAttention(const Scope& scope, const AttentionSpec& of,
                                       AttentionInputs which, AttentionSite at,
                                       const AttentionWeights& with)
    : spec(of),
      inputs(which),
      site(at),
      module{.paths = {scope.path()}, .heads = of.heads},
      patterns(pattern_list_of(of)),
      pair_scores(with.scores.functions()),
      head_dropout_path((scope / "heads").path()),
      weights(with) {}

BlockOutput MultiHeadAttention::operator()(Pass& pass, const Var& query, const Var& key,
                                           const Var& value, const Segments& queries,
                                           const Segments& keys) const {
  if (spec.heads == 0) {
    return nothing(pass, queries);
  }
  HeadProjections::Of from_query = weights.projections.of(pass, query);
  HeadProjections::Of from_key = weights.projections.of(pass, key);
  HeadProjections::Of from_value = weights.projections.of(pass, value);
  HeadProjections::Of& for_keys = inputs == AttentionInputs::self ? from_query : from_key;
  HeadProjections::Of& for_values = inputs == AttentionInputs::separate ? from_value : for_keys;
  const HeadColumns q = from_query.columns(HeadRole::query);
  const HeadColumns k = for_keys.columns(HeadRole::key);
  return attend(pass,
                {.query = weights.scores.query(pass, q, queries),
                 .key = weights.scores.key(pass, k, keys),
                 .value = for_values.columns(HeadRole::value),
                 .sink_query = sink_query(pass, q, queries)},
                queries, keys);
}

BlockOutput MultiHeadAttention::self_with_past(Pass& pass, const Var& past,
                                               const Segments& past_segments, const Var& x,
                                               const Segments& segments) const {
  if (spec.heads == 0) {
    return nothing(pass, segments);
  }
  const Segments keys = joined(past_segments, segments);
  const Var all = join_sequences(past, past_segments, x, segments);
  HeadProjections::Of from_x = weights.projections.of(pass, x, HeadRoles::query_only);
  HeadProjections::Of from_all = weights.projections.of(pass, all, HeadRoles::key_and_value);
  const RotaryPositions rotary(spec, segments, keys);
  const HeadColumns query = from_x.columns(HeadRole::query);
  return attend(pass,
                {.query = weights.scores.query(pass, query, rotary.queries()),
                 .key = weights.scores.key(pass, from_all.columns(HeadRole::key), rotary.keys()),
                 .value = from_all.columns(HeadRole::value),
                 .sink_query = sink_query(pass, query, rotary.queries())},
                segments, keys);
}

BlockOutput MultiHeadAttention::cached_self(Pass& pass, const Var& x, const Segments& queries,
                                            Tensor& kept, const Segments& keys) const {
  if (spec.heads == 0) {
    return nothing(pass, queries);
  }
  HeadProjections::Of fresh = weights.projections.of(pass, x);
  const RotaryPositions rotary(spec, queries, keys);
  const HeadColumns projected = fresh.columns(HeadRole::query);
  const HeadColumns query = weights.scores.query(pass, projected, rotary.queries());
  const HeadColumns key = weights.scores.key(pass, fresh.columns(HeadRole::key), rotary.queries());
  const HeadColumns value = fresh.columns(HeadRole::value);
  const Index value_columns = cache_columns() - key_columns();
  for (Index i = 0; i < queries.count(); ++i) {
    const Segment& rows = queries[i];
    const Index first = keys[i].row + keys[i].rows - rows.rows;
    for (Index r = 0; r < rows.rows; ++r) {
      Scalar* to = keep(key, rows.row + r, key_columns(), kept.row(first + r));
      keep(value, rows.row + r, value_columns, to);
    }
  }
  const Var all = pass.tape().constant(kept);
  return attend(pass,
                {.query = query,
                 .key = {.matrix = all, .first = 0, .step = key.step},
                 .value = {.matrix = all, .first = key_columns(), .step = value.step},
                 .sink_query = sink_query(pass, projected, rotary.queries())},
                queries, keys);
}

void MultiHeadAttention::turn_back(Tensor kept, Index positions) const {
  if (spec.heads == 0 || !spec.has(AttentionPositions::rotary)) {
    return;
  }
  Tape tape(false);
  const Tensor turned =
      weights.scores
          .turned_back({.matrix = tape.constant(kept)}, positions, key_columns() / spec.d_qk)
          .value();
  for (Index i = 0; i < kept.dim(0); ++i) {
    std::copy_n(turned.row(i), key_columns(), kept.row(i));
  }
}

BlockOutput MultiHeadAttention::cached_cross(Pass& pass, const Var& x, const Var& memory,
                                             const Segments& queries, const Segments& keys,
                                             std::optional<KeysAndValues>& cache) const {
  if (spec.heads == 0) {
    return nothing(pass, queries);
  }
  if (!cache) {
    HeadProjections::Of context = weights.projections.of(pass, memory);
    const HeadColumns key = context.columns(HeadRole::key);
    cache = KeysAndValues{.key = weights.scores.key(pass, key, keys),
                          .value = context.columns(HeadRole::value)};
  }
  const HeadColumns query = weights.projections.of(pass, x).columns(HeadRole::query);
  return attend(pass,
                {.query = weights.scores.query(pass, query, queries),
                 .key = cache->key,
                 .value = cache->value},
                queries, keys);
}

BlockOutput MultiHeadAttention::nothing(Pass& pass, const Segments& queries) const {
  const Var zeros = pass.tape().constant(Tensor::zeros({row_count(queries), spec.d_model}));
  return {zeros, pass.bias(weights.combination.output_bias, spec.d_model)};
}

void MultiHeadAttention::keep_heads(const KeptHeads& kept, const MultiHeadAttention& smaller,
                                    HeadCopy& copy) const {
  const AttentionWeights& to = smaller.weights;
  weights.projections.keep_heads(kept, to.projections, copy);
  weights.scores.keep_heads(kept, to.scores, copy);
  weights.distances.keep_heads(kept, to.distances, copy);
  weights.gates.keep_heads(kept, to.gates, copy);
  weights.combination.keep_heads(kept, to.combination, copy);
}

Index MultiHeadAttention::key_columns() const {
  return (spec.heads_alike() && weights.scores.alike() ? 1 : spec.kv_heads) * spec.d_qk;
}

Index MultiHeadAttention::cache_columns() const {
  return key_columns() + (spec.heads_alike() ? 1 : spec.kv_heads) * spec.d_v;
}

// A query sees the sinks at the distances that they have in a cache of what it sees (Xiao et al.
// 2023, section 3.2). The sinks' keys stay as they are, and the query turns less far instead.
std::optional<HeadColumns> MultiHeadAttention::sink_query(Pass& pass, const HeadColumns& projected,
                                                          const Segments& positions) const {
  const auto with_sinks = std::ranges::find_if(patterns, &Pattern::sinks);
  if (!spec.has(AttentionPositions::rotary) || with_sinks == patterns.end()) {
    return {};
  }
  return weights.scores.query(pass, projected, positions, with_sinks->last_cached_position());
}

BlockOutput MultiHeadAttention::attend(Pass& pass, const Heads& projected, const Segments& queries,
                                       const Segments& keys) const {
  const Call call{.heads = {.query = weights.distances.with_content_bias(pass, projected.query),
                            .key = projected.key,
                            .value = projected.value,
                            .sink_query = projected.sink_query},
                  .queries = queries,
                  .keys = keys,
                  .options = {.heads = spec.heads,
                              .d_key = spec.d_qk,
                              .d_value = spec.d_v,
                              .patterns = patterns,
                              .dropout = pass.dropout(spec.dropout, module.path(), queries),
                              .kv_heads = spec.kv_heads,
                              .scale = weights.scores.scale(),
                              .scores = pair_scores},
                  .bias = weights.distances(pass, projected.query, weights.scores.scale()),
                  .score_weights = weights.scores.function_weights(pass)};
  Var side_by_side = [&] {
    const InModule here(pass.tape(), module);
    return attention(call.heads.query, call.heads.key, call.heads.value, queries, keys,
                     call.options, call.bias, call.score_weights, call.heads.sink_query);
  }();
  if (!by_distance.empty()) {
    side_by_side = with_given_weights(pass, call, side_by_side);
  }
  if (pass.recorder) {
    record(pass, call, side_by_side.value());
  }
  const Dropout dropout = pass.dropout(spec.head_dropout, head_dropout_path, queries);
  if (dropout.active()) {
    side_by_side = drop_heads({side_by_side}, queries, spec.heads, spec.d_v, dropout);
  }
  return weights.combination(pass, weights.gates(pass, side_by_side));
}

AttentionMaker::AttentionMaker(const Scope& root, const ModelOptions& options)
    : root_(root), options_(options) {
  for (const auto rule : {attentions_compose, names_share, layer_groups_fit, prefix_fits}) {
    expect_none(rule(options));
  }
}

MultiHeadAttention AttentionMaker::make(const Scope& scope, AttentionSite site) {
  const AttentionInputs inputs = site.is_self() ? AttentionInputs::self : AttentionInputs::cross;
  const AttentionSpec spec = attention_spec(options_, site.kind, site.layer);
  if (spec.shared_as.empty()) {
    return {scope, options_, spec, inputs, site};
  }
  auto found = shared_.find(spec.shared_as);
  if (found == shared_.end()) {
    const Scope home = root_ / "shared" / spec.shared_as;
    found = shared_.emplace(spec.shared_as, AttentionWeights(home, options_, spec, inputs)).first;
  }
  return {scope, spec, inputs, site, found->second};
}

MultiHeadAttention AttentionMaker::make_sharing(const Scope& scope, AttentionSite site,
                                                const MultiHeadAttention& shared) const {
  return {scope, attention_spec(options_, site.kind, site.layer), shared.inputs, site,
          shared.weights};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
