// What a head's weights are on the average at each distance from query to key.
#pragma once

#include "nn/attention/head_distances.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// For each distance d = j - i: the mean of the weights w_ij over the queries i that may attend to
// key j. Row i of a sequence is position i. What `top` of the pattern leaves out counts as the
// weight 0: weights_at() does not apply `top`.
DistanceWeights mean_by_distance(const Tensor& weights, const Pattern& pattern, Index prefix);

}}  // namespace tapehead::TAPEHEAD_PRECISION
