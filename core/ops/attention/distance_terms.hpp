// Adds numbers that depend on the distance to the scores of some queries and keys, and sums
// gradients by distance.
#pragma once

#include "core/ops/attention/tile.hpp"
#include "core/sequence/distance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// numbers[j step + q] belongs to key j and query q of a panel, whose distance is `distance` + j -
// q. `columns` are whole vectors, of which `queries` are real.
struct PanelNumbers {
  Scalar* numbers;
  Index step;
  Index keys;
  Index queries;
  Index columns;
  Index distance;
};

// One head's bias for the queries of a panel.
struct HeadBias {
  const DistanceBuckets* buckets = nullptr;
  Scalar slope = 0;
  const Scalar* by_head = nullptr;   // one number for each bucket
  const Scalar* by_query = nullptr;  // the same for each query; queries are `stride` apart
  Index stride = 0;
  bool values = false;  // there is a bias on the values

  bool any() const { return slope != 0 || buckets_used(); }
  bool buckets_used() const { return by_head != nullptr || by_query != nullptr || values; }
};

// Where the gradients of a bias are added; null where not needed.
struct HeadBiasTargets {
  Scalar* by_head = nullptr;
  Scalar* by_query = nullptr;
  Index stride = 0;
  Scalar* values = nullptr;  // (B, d_value)
};

// All pairs on a diagonal have the same distance. So what depends only on the distance is one line
// of numbers, and each key reads it from one place further on.
class PanelDistances {
 public:
  // Finds the buckets of a panel's distances, for the calls that follow.
  void take(const DistanceBuckets& buckets, const PanelNumbers& panel);

  // n[j][q] += row[bucket] - slope |distance|; row may be null.
  void add_by_distance(const PanelNumbers& panel, const Scalar* row, Scalar slope);
  // row[bucket] += factor Σ n[j][q] of that bucket
  void sum_by_distance(const PanelNumbers& panel, Scalar factor, Scalar* row);

  // n[j][q] += rows[q stride + bucket]
  void add_rows(const PanelNumbers& panel, const Scalar* rows, Index stride) const;
  // rows[q stride + bucket] += factor Σ_j n[j][q] of that bucket
  void sum_rows(const PanelNumbers& panel, Scalar factor, Scalar* rows, Index stride) const;

 private:
  static constexpr Index most = block_keys + panel_queries - 1;

  std::int32_t bucket(const PanelNumbers& panel, Index j, Index q) const {
    return buckets_[static_cast<std::size_t>(j - q + panel.columns - 1)];
  }
  template <class Uniform, class Mixed>
  void for_each_run(const PanelNumbers& panel, const Uniform& uniform, const Mixed& mixed) const;

  std::array<std::int32_t, most> buckets_;  // from the smallest distance on
  std::array<Scalar, most> line_;           // from the largest distance on
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
