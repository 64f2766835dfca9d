#include "nn/attention/work.hpp"

namespace tapehead {

// A weight that several of query, key and value share is used once for each different input; in
// self-attention that is one.
AttentionWork attention_work(const AttentionSpec& spec) {
  AttentionWork work;
  for (const ProjectionSpec& projection : projections_of(spec)) {
    // Tied heads that get slices of the input use their one weight once for each slice.
    const Index slices = spec.tied() ? spec.d_model / projection.in : projection.heads;
    const auto uses = static_cast<double>(slices * projection.in * projection.width);
    const bool on_queries = projection.query || spec.is_self();
    const bool has_key = projection.key || projection.value;
    const bool on_keys = !spec.is_self() && has_key;
    work.query_row += on_queries ? uses : 0;
    work.key_row += on_keys ? uses : 0;
    work.past_row += spec.is_self() && has_key ? uses : 0;
  }
  work.query_row += static_cast<double>(spec.heads_with(Score::bilinear) * spec.d_qk * spec.d_qk);
  if (spec.has_clip()) {  // products of queries with a vector for each distance
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
