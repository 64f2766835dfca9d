// What a head's weights are on the average at each distance from query to key.
#pragma once

#include "nn/attention/distance_weights.hpp"
#include "nn/pass.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// For each distance d = j - i: the mean of the weights w_ij over the queries i that may attend to
// key j. Row i of a sequence is position i.
DistanceWeights mean_by_distance(const RecordedAttention& seen);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
