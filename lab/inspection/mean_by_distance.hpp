// Attention weights that depend on the distance between query and key alone, and not on what is
// read: what would a head do if it only looked by position?
#pragma once

#include "core/memory/pool.hpp"
#include "core/sequence/pattern.hpp"
#include "core/sequence/segments.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// For each distance, a key's position minus the query's, a weight of at least 0.
struct DistanceWeights {
  Index first = 0;             // the smallest distance
  PoolVector<Scalar> weights;  // of the distances first, first + 1, ...; others have 0

  Scalar at(Index distance) const {
    const Index i = distance - first;
    return i < 0 || i >= std::ssize(weights) ? Scalar{0} : weights[static_cast<std::size_t>(i)];
  }
};

// For each distance d = j - i: the mean of the weights w_ij over the queries i that may attend to
// key j. Row i of a sequence is position i. What `top` of the pattern leaves out counts as the
// weight 0: weights_at() does not apply `top`.
DistanceWeights mean_by_distance(const Tensor& weights, const Pattern& pattern, Index prefix);

// (queries, keys): the weight of each distance, divided by the sum of those that the query may
// attend to. A query with the sum 0 attends to nothing. `top` of a pattern is not applied.
Tensor weights_at(const DistanceWeights& by_distance, const Pattern& pattern,
                  const Segment& queries, const Segment& keys);

}}  // namespace tapehead::TAPEHEAD_PRECISION
