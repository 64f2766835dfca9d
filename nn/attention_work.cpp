#include "nn/attention_work.hpp"

#include <algorithm>

namespace tapehead {

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
  total += spec.heads_with(Score::bilinear) * spec.d_qk * spec.d_qk;
  total += spec.heads_with(Score::additive) * spec.d_qk;
  total += position_parameters(spec);
  total += spec.scale == ScoreScale::learned ? spec.heads : 0;
  total += spec.combine == Combine::output ? spec.output_columns() * D : 0;
  total += spec.combine == Combine::weighted ? spec.heads : 0;
  total += spec.gates == HeadGating::l0 ? spec.heads : 0;
  return total;
}

// A weight that several of query, key and value share is used once for each input that it meets; in
// self-attention that is one.
AttentionWork attention_work(const AttentionSpec& spec) {
  AttentionWork work;
  for (const ProjectionSpec& projection : projections_of(spec)) {
    // Tied heads that see slices of the input use their one weight once for each.
    const Index slices = spec.tied() ? spec.d_model / projection.in : projection.heads;
    const auto uses = static_cast<double>(slices * projection.in * projection.width);
    const bool on_queries = projection.query || spec.is_self();
    const bool on_keys = !spec.is_self() && (projection.key || projection.value);
    work.query_row += on_queries ? uses : 0;
    work.key_row += on_keys ? uses : 0;
  }
  work.query_row += static_cast<double>(spec.heads_with(Score::bilinear) * spec.d_qk * spec.d_qk);
  if (spec.has_clip()) {  // products of queries with a vector for each distance
    work.query_row += static_cast<double>(spec.heads * spec.distance_buckets() * spec.d_qk);
  }
  if (spec.has(AttentionPositions::relative)) {
    work.query_row += static_cast<double>(spec.heads * spec.distance_buckets() * spec.d_v);
  }
  if (spec.combine == Combine::output) {
    work.query_row += static_cast<double>(spec.output_columns() * spec.d_model);
  }
  work.pair = static_cast<double>(spec.heads * (spec.d_qk + spec.d_v));
  return work;
}

}  // namespace tapehead
