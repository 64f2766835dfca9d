// Finds the largest scores of each query of a tile, while the keys are processed in order.
#pragma once

#include "core/memory/pool_vector.hpp"
#include "core/ops/attention/distance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// For each query: the smallest score that it keeps, and the last key that it keeps with this score.
// Both come from the forward pass, so that the backward pass keeps the same scores.
struct KeptScores {
  Index count = 0;  // 0: all are kept
  Scalar* least = nullptr;
  Scalar* last = nullptr;
};

class TopScores {
 public:
  void start(Index count, Index queries);
  // Adds the scores of a panel that begins at query `query` of the tile and at key `key`.
  void add(const PanelNumbers& scores, Index query, Index key);
  void finish(Index first_query, const KeptScores& kept) const;

 private:
  struct Entry {
    Scalar score;
    Scalar key;
  };
  static bool better(const Entry& a, const Entry& b) {
    return a.score > b.score || (a.score == b.score && a.key < b.key);
  }

  Index count_ = 0;
  PoolVector<Entry> heaps_;  // `count_` for each query, the smallest first
};

// Sets scores that are not kept to -inf. `kept` begins at the panel's first query.
void keep_top(const PanelNumbers& scores, Index key, const KeptScores& kept);

}}  // namespace tapehead::TAPEHEAD_PRECISION
