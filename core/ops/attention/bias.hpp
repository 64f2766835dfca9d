// Biases by the distance between query and key: numbers added to scores, rows added to values.
#pragma once

#include "core/memory/pool.hpp"
#include "core/ops/attention/tile.hpp"
#include "core/sequence/batch.hpp"
#include "core/sequence/distance.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// numbers[j step + q] belongs to key j and query q of a panel; their distance is `distance` + j -
// q. `columns` is a multiple of the vector length; the first `queries` columns are queries.
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
  const Scalar* by_query = nullptr;  // the same for each query; queries `stride` apart
  Index stride = 0;
  bool values = false;  // whether the values have a bias

  bool any() const { return slope != 0 || buckets_used(); }
  bool buckets_used() const { return by_head != nullptr || by_query != nullptr || values; }
};

// Where the gradients of a bias are added; null where a gradient is not needed.
struct HeadBiasTargets {
  Scalar* by_head = nullptr;
  Scalar* by_query = nullptr;
  Index stride = 0;
  Scalar* values = nullptr;  // (B, d_value)
};

// All pairs on a diagonal have the same distance. Numbers that depend only on the distance are
// therefore one line, and each key reads the line one place later than the key before.
class PanelDistances {
 public:
  // Finds the buckets of a panel's distances, for the calls below.
  void take(const DistanceBuckets& buckets, const PanelNumbers& panel);

  // n[j][q] += row[bucket] - slope |distance|; row may be null.
  void add_by_distance(const PanelNumbers& panel, const Scalar* row, Scalar slope);
  // row[bucket] += factor Σ n[j][q] over the pairs of that bucket
  void sum_by_distance(const PanelNumbers& panel, Scalar factor, Scalar* row);

  // n[j][q] += rows[q stride + bucket]
  void add_rows(const PanelNumbers& panel, const Scalar* rows, Index stride) const;
  // rows[q stride + bucket] += factor Σ_j n[j][q] over the keys of that bucket
  void sum_rows(const PanelNumbers& panel, Scalar factor, Scalar* rows, Index stride) const;

 private:
  static constexpr Index most = block_keys + panel_queries - 1;

  std::int32_t bucket(const PanelNumbers& panel, Index j, Index q) const {
    return buckets_[static_cast<std::size_t>(j - q + panel.columns - 1)];
  }
  template <class Uniform, class Mixed>
  void for_each_run(const PanelNumbers& panel, const Uniform& uniform, const Mixed& mixed) const;

  std::array<std::int32_t, most> buckets_;  // by rising distance
  std::array<Scalar, most> line_;           // by falling distance
};

// In head h these terms, if given, are added to the score (scale q · k) of a key in bucket b:
// -slopes[h] |distance|, by_head[h][b], by_query[q][h B + b].
struct AttentionBias {
  DistanceBuckets buckets{};      // B of them
  PoolVector<double> slopes{};    // one for each head (Press et al. 2022)
  std::optional<Var> by_head{};   // (heads, B) (Raffel et al. 2020)
  std::optional<Var> by_query{};  // (N, heads B) (Shaw et al. 2018, Dai et al. 2019)
  // (B, d_value), for all heads. Row b is added to the value of each key in bucket b (Shaw et al.
  // 2018, equation 3). Dropout drops the row together with the key's own value.
  std::optional<Var> values{};
};

// Throws ShapeError if a shape does not fit N queries or the heads.
void expect_bias(const AttentionBias& bias, Index N, Index heads, Index d_value);

// The values of a bias without Vars, for the kernel.
struct BiasValues {
  explicit BiasValues(const AttentionBias& bias);

  bool any() const { return !slopes.empty() || given(by_head) || given(by_query) || given(values); }
  static bool given(const Tensor& values) { return values.shape().rank() > 0; }
  HeadBias head(const Segment& queries, Index head) const;

  // The memory for gradients, null where not needed. `input`: the index of the first Var of the
  // bias among the op's inputs. The second overload selects the part for one segment and head.
  HeadBiasTargets targets(Gradients& g, Index input) const;
  HeadBiasTargets targets(HeadBiasTargets of, const Segment& queries, Index head) const;

  DistanceBuckets buckets;
  PoolVector<double> slopes;
  Tensor by_head;
  Tensor by_query;
  Tensor values;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
