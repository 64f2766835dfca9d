// The options of the attention op: how many heads, of what widths, with which patterns and scores.
#pragma once

#include "core/memory/pool.hpp"
#include "core/ops/attention/pair_score.hpp"
#include "core/random/keep_bits.hpp"
#include "core/sequence/pattern.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct AttentionOptions {
  Index heads = 1;
  Index d_key = 1;                                // width of a head's queries and keys
  Index d_value = 1;                              // width of a head's values
  PoolVector<Pattern> patterns{Pattern::full()};  // one for all heads, or one for each
  Dropout dropout{};                              // on the weights
  // The number of key and value heads. Each serves the same number of neighbouring query heads
  // (Shazeer 2019 with one; Ainslie et al. 2023). Absent: `heads`.
  std::optional<Index> kv_heads{};
  std::optional<double> scale{};  // of the scores; absent: 1 / √d_key
  // One for all heads, or one for each. Empty or null: the dot product of query and key.
  PoolVector<std::shared_ptr<const PairScore>> scores{};

  Index key_heads() const { return kv_heads.value_or(heads); }
  Index key_head(Index head) const { return head / (heads / key_heads()); }
  Scalar score_factor() const {
    return static_cast<Scalar>(scale.value_or(1 / std::sqrt(static_cast<double>(d_key))));
  }
  const PairScore* score(Index head) const;
  // Where the learned numbers of a head's score begin among those of all heads. For head `heads`:
  // the number of all of them.
  Index score_weights_before(Index head) const;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
