// Attention of a single query, the newest token of an output: with one query the tiles of the
// attention kernel would be nearly empty, so the vector lanes hold the numbers of a head instead.
#pragma once

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// One query of all heads, and the rows of keys and values that it attends to; each row holds the
// heads' vectors one after the other.
struct SingleQuery {
  const Scalar* query;
  const Scalar* key;
  Index key_stride;
  const Scalar* value;
  Index value_stride;
  Index keys;
  Index heads;
  Index d_key;
  Index d_value;
};

// The numbers that the weights of a query take up.
Index single_query_room(Index keys, Index heads);

// For each head: y = softmax(q Kᵀ / √d_key) V, zeros without keys, and the log-sum-exp of the
// scores (-inf without keys). y: heads * d_value numbers; log_sums: one for each head,
// `log_sums_stride` apart. Keys and values of `next`, the query that follows, are fetched
// meanwhile.
void attend_single(const SingleQuery& problem, const SingleQuery& next, Scalar* room, Scalar* y,
                   Scalar* log_sums, Index log_sums_stride);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
