// Operations on the weights of a tile: dropout, largest scores, and the bias on values.
#pragma once

#include "core/memory/pool.hpp"
#include "core/ops/attention/bias.hpp"
#include "core/ops/attention/tile.hpp"
#include "core/ops/row_parts.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Addresses the dropout draws of a problem: of its first query and key, and the steps to the next.
struct DropoutAddress {
  Index head;
  Index query_row;  // counted in the whole step
  Index position;   // of the first key
  Index query_step = 1;
  Index key_step = 1;

  DropoutAddress from(Index query, Index key) const {
    return {head, query_row + query * query_step, position + key * key_step, query_step, key_step};
  }
};

class AttentionDropout {
 public:
  explicit AttentionDropout(const Dropout& dropout) : dropout_(dropout), factors_(dropout) {}

  bool active() const { return dropout_.active(); }

  // Draws for `columns` queries of a panel (whole vectors) and at most one block of keys.
  void draw(const DropoutAddress& at, Index columns, Index keys);

  // The factors, 0 or 1 / (1 - probability), of key j for one vector of queries from `query` on.
  Lanes factors(Index j, Index query) const {
    return factors_.of(kept_[static_cast<std::size_t>(j * key_words + query / keep_lanes)],
                       query % keep_lanes);
  }

 private:
  static constexpr Index key_words = (panel_queries + keep_lanes - 1) / keep_lanes;

  Dropout dropout_;
  KeepFactors factors_;
  std::array<std::uint16_t, static_cast<std::size_t>(block_keys* key_words)> kept_;
};

// For each query: the smallest kept score, and the last kept key with this score. The forward pass
// stores both, so that the backward pass keeps the same scores.
struct KeptScores {
  Index count = 0;  // 0: all are kept
  Scalar* least = nullptr;
  Scalar* last = nullptr;
};

// Finds the largest scores of each query of a tile. Keys are added in order.
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

// Sets the scores that are not kept to -inf. `kept` begins at the panel's first query.
void keep_top(const PanelNumbers& scores, Index key, const KeptScores& kept);

// A bias on the values of a head, by the distance from query to key. The weights of a bucket are
// summed first, so each query and bucket meet only once. All arrays are padded to whole vectors.
struct ValueBias {
  explicit ValueBias(const Tensor& values);  // (B, d_value); without memory: no bias

  bool active() const { return buckets > 0; }
  void clear_mass(Index queries) { std::fill_n(mass.data(), queries * step, Scalar{0}); }
  void take_gradients(const Scalar* dy, Index dy_stride, Index queries);

  Index buckets = 0;  // B
  Index step = 0;     // from one query to the next, in mass and gradients
  Tensor rows;        // (B, d_value)
  Tensor columns;     // (d_value, B)
  Tensor mass;        // mass[q][b] = the sum of query q's weights for the keys of bucket b
  Tensor gradients;   // gradients[q][b] = dL/dy_q · rows[b]
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
