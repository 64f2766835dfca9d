// The attention core: scaled dot-product attention of every head over the sequences of a ragged
// batch.
#pragma once

#include "core/keep_bits.hpp"
#include "core/pattern.hpp"
#include "core/pool_vector.hpp"
#include "core/segments.hpp"
#include "core/tape.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The columns of a matrix, from `first` on, that hold the heads' vectors one head after the other.
// Queries, keys and values that come out of one product are columns of one matrix.
struct HeadColumns {
  Var matrix;
  Index first = 0;
};

struct AttentionOptions {
  Index heads = 1;
  Index d_key = 1;                                // width of a head's queries and keys
  Index d_value = 1;                              // width of a head's values
  PoolVector<Pattern> patterns{Pattern::full()};  // one for all heads, or one for each
  Dropout dropout{};                              // on the weights
};

// For each head: y = dropout(softmax(Q Kᵀ / √d_key)) V (Vaswani et al. 2017, equation 1), where
// each row of a query segment attends to the rows of the key segment of the same number, as far as
// the pattern allows. A query that may attend to nothing gets zeros. query: (N, ...), key and
// value: (S, ...) with the same segments; y: (N, heads * d_value).  Throws ShapeError.
Var attention(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
              const Segments& query_segments, const Segments& key_segments,
              const AttentionOptions& options);

// The weights (n, m) with which the rows of query segment `segment` attend, in one head, to the
// rows of its key segment, before dropout: made by the same code that the op's two passes use.
Tensor attention_weights(const HeadColumns& query, const HeadColumns& key,
                         const Segments& query_segments, const Segments& key_segments,
                         const AttentionOptions& options, Index segment, Index head);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
