// Attention of a single query, the newest token of an output. With one query the tiles of the
// attention kernel would be nearly empty, so here the vector lanes hold the numbers of a head.
#pragma once

#include "core/ops/attention/bias.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// One query of all heads, and the rows of keys and values that it attends to. In a row the heads'
// vectors are `step` columns apart.
struct SingleQuery {
  const Scalar* query;
  Index query_step;
  const Scalar* key;
  Index key_stride;
  Index key_step;
  const Scalar* value;
  Index value_stride;
  Index value_step;
  Index keys;
  Index heads;
  Index heads_of_key;  // query heads for each key head
  Index d_key;
  Index d_value;
  Scalar scale;
  Index distance;          // of the first key
  Segment row;             // for a bias that has numbers for each query
  const BiasValues* bias;  // of the scores

  Index key_columns() const { return (heads / heads_of_key - 1) * key_step + d_key; }
  Index value_columns() const { return (heads / heads_of_key - 1) * value_step + d_value; }
};

// For each head: y = softmax(scale q Kᵀ + bias) V, zeros without keys, and the log-sum-exp of the
// scores (-inf without keys). y: heads * d_value numbers; log_sums: one for each head,
// `log_sums_stride` apart; room: scratch memory for whole_vectors(keys) numbers of each head.
// Meanwhile the keys and values of the following query, `next`, are prefetched.
void attend_single(const SingleQuery& problem, const SingleQuery& next, Scalar* room, Scalar* y,
                   Scalar* log_sums, Index log_sums_stride);

}}  // namespace tapehead::TAPEHEAD_PRECISION
