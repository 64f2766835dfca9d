// The attention op: attention of every head over the sequences of a ragged batch.
#pragma once

#include "core/ops/attention/attention_options.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// For each head: y = dropout(softmax(scale Q Kᵀ + bias)) V (Vaswani et al. 2017, equation 1). The
// rows of query segment i attend to the rows of key segment i, as far as the pattern allows. Other
// scores may replace Q Kᵀ. A query without keys gets zeros. query: (N, ...), key and value: (S,
// ...) with the same segments; score_weights: the learned numbers of the scores, head by head, in
// any shape; sink_query: queries for the pattern's sinks outside the window, shaped as query; y:
// (N, heads * d_value). Throws ShapeError.
Var attention(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
              const Segments& query_segments, const Segments& key_segments,
              const AttentionOptions& options, const AttentionBias& bias = {},
              const std::optional<Var>& score_weights = {},
              const std::optional<HeadColumns>& sink_query = {});
Var attention_by(const AttentionCall& call);

// One head's attention within one sequence of n queries and m keys.
struct HeadAttention {
  Tensor weights;  // (n, m), before dropout
  Tensor scores;   // (n, m): scale Q Kᵀ + bias, whose softmax the weights are; -inf where a query
                   // may not attend to a key
};

// The attention of query segment `segment`, by the code of the op's forward and backward pass. The
// values do not matter.
HeadAttention head_attention(AttentionCall call, Index segment, Index head);

}}  // namespace tapehead::TAPEHEAD_PRECISION
