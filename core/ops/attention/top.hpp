// The largest scores of each query of a tile, found while the keys go by in their order.
#pragma once

#include "core/memory/pool_vector.hpp"
#include "core/ops/attention/distance.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// For each query the least score that it keeps and, of equal ones, the last key: both from the
// forward pass, so that the backward pass keeps the same.
struct KeptScores {
  Index count = 0;  // 0: all are kept
  Scalar* least = nullptr;
  Scalar* last = nullptr;
};

class TopScores {
 public:
  void start(Index count, Index queries);
  // The scores of a panel from query `query` of the tile on, and from key `key` on.
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
  PoolVector<Entry> heaps_;  // for each query `count_`, the worst first
};

// Scores that are not kept become -inf. `kept` begins at the panel's first query.
void keep_top(const PanelNumbers& scores, Index key, const KeptScores& kept);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
