// The attention core: dot-product attention of every head over the sequences of a ragged
// batch.
#pragma once

#include <cmath>
#include <optional>

#include "core/keep_bits.hpp"
#include "core/ops/attention_bias.hpp"
#include "core/ops/head_columns.hpp"
#include "core/ops/pair_score.hpp"
#include "core/pattern.hpp"
#include "core/pool_vector.hpp"
#include "core/segments.hpp"
#include "core/tape.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct AttentionOptions {
  Index heads = 1;
  Index d_key = 1;                                // width of a head's queries and keys
  Index d_value = 1;                              // width of a head's values
  PoolVector<Pattern> patterns{Pattern::full()};  // one for all heads, or one for each
  Dropout dropout{};                              // on the weights
  // Heads of keys and values, each of which serves as many neighbouring heads of queries (Shazeer
  // 2019 with one; Ainslie et al. 2023); absent: `heads`.
  std::optional<Index> kv_heads{};
  std::optional<double> scale{};  // of the scores; absent: 1 / √d_key
  // One for all heads, or one for each; none or null: the dot product of query and key.
  PoolVector<std::shared_ptr<const PairScore>> scores{};

  Index key_heads() const { return kv_heads.value_or(heads); }
  Index key_head(Index head) const { return head / (heads / key_heads()); }
  Scalar score_factor() const {
    return static_cast<Scalar>(scale.value_or(1 / std::sqrt(static_cast<double>(d_key))));
  }
  const PairScore* score(Index head) const;
  // Where the numbers of a head's score begin among those of all; of `heads`: how many there are.
  Index score_weights_before(Index head) const;
};

// For each head: y = dropout(softmax(scale Q Kᵀ + bias)) V (Vaswani et al. 2017, equation 1), where
// each row of a query segment attends to the rows of the key segment of the same number, as far as
// the pattern allows; other scores take the place of Q Kᵀ. A query that may attend to nothing gets
// zeros. query: (N, ...), key and value: (S, ...) with the same segments; score_weights: the
// numbers of the heads' scores, one head after the other, in any shape; y: (N, heads * d_value).
// Throws ShapeError.
Var attention(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
              const Segments& query_segments, const Segments& key_segments,
              const AttentionOptions& options, const AttentionBias& bias = {},
              const std::optional<Var>& score_weights = {});

// The weights (n, m) with which the rows of query segment `segment` attend, in one head, to the
// rows of its key segment, before dropout: made by the same code that the op's two passes use.
Tensor attention_weights(const HeadColumns& query, const HeadColumns& key,
                         const Segments& query_segments, const Segments& key_segments,
                         const AttentionOptions& options, Index segment, Index head,
                         const AttentionBias& bias = {},
                         const std::optional<Var>& score_weights = {});

}  // namespace tapehead::inline TAPEHEAD_PRECISION
