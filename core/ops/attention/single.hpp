// Attention of a single query, the newest token of an output. With one query the tiles of the
// attention kernel would be nearly empty, so here the vector lanes hold the numbers of a head.
#pragma once

#include "core/ops/attention/problem.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// For each head of the only query of a segment: y = softmax(scale q Kᵀ + bias) V, zeros without
// keys, and the log-sum-exp of the scores (-inf without keys). The pattern must be one range of
// keys for all heads. y: heads * d_value numbers; log_sums: one for each head, `log_sums_stride`
// apart; room: scratch memory for whole_vectors(keys) numbers of each head. Meanwhile the keys and
// values of the following segment are prefetched.
void attend_single(const AttentionProblem& problem, Index segment, Scalar* room, Scalar* y,
                   Scalar* log_sums, Index log_sums_stride);

}}  // namespace tapehead::TAPEHEAD_PRECISION
