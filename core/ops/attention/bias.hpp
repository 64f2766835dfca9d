// Biases of attention by the distance between query and key: numbers that are added to the scores,
// and rows that are added to the values.
#pragma once

#include "core/memory/pool.hpp"
#include "core/ops/attention/distance_terms.hpp"
#include "core/sequence/distance.hpp"
#include "core/sequence/segments.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A key in bucket b adds to its score scale q · k, in head h, those of these that are given:
// -slopes[h] |distance|, by_head[h][b], by_query[q][h B + b].
struct AttentionBias {
  DistanceBuckets buckets{};      // B of them
  PoolVector<double> slopes{};    // one for each head (Press et al. 2022)
  std::optional<Var> by_head{};   // (heads, B) (Raffel et al. 2020)
  std::optional<Var> by_query{};  // (N, heads B) (Shaw et al. 2018, Dai et al. 2019)
  // (B, d_value), for all heads: row b is added to the value of each key in bucket b (Shaw et al.
  // 2018, equation 3). Dropout drops it together with the key's own value.
  std::optional<Var> values{};
};

// Throws ShapeError if a size does not match N queries or the heads.
void expect_bias(const AttentionBias& bias, Index N, Index heads, Index d_value);

// Appends the Vars of the bias to an op's inputs.
void append_inputs(const AttentionBias& bias, PoolVector<Var>& inputs);

// The values of a bias, without Vars, as the kernel uses them.
struct BiasValues {
  explicit BiasValues(const AttentionBias& bias);

  bool any() const { return !slopes.empty() || given(by_head) || given(by_query) || given(values); }
  static bool given(const Tensor& values) { return values.shape().rank() > 0; }
  HeadBias head(const Segment& queries, Index head) const;

  // The memory for the gradients; null where not needed. `input`: the number of the bias' first Var
  // among the op's inputs. And the part of it for the queries of a segment in a head.
  HeadBiasTargets targets(Gradients& g, Index input) const;
  HeadBiasTargets targets(HeadBiasTargets of, const Segment& queries, Index head) const;

  DistanceBuckets buckets;
  PoolVector<double> slopes;
  Tensor by_head;
  Tensor by_query;
  Tensor values;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
