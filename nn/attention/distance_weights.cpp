#include "nn/attention/distance_weights.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Tensor weights_at(const DistanceWeights& by_distance, const Pattern& pattern,
                  const Segment& queries, const Segment& keys) {
  Tensor weights = Tensor::zeros({queries.rows, keys.rows});
  for (Index i = 0; i < queries.rows; ++i) {
    const Index query = queries.position + i;
    Scalar* row = weights.row(i);
    Scalar sum = 0;
    for (Index j = 0; j < keys.rows; ++j) {
      const Index key = keys.position + j;
      row[j] = pattern.allowed(query, key, queries.prefix) ? by_distance.at(key - query) : 0;
      sum += row[j];
    }
    for (Index j = 0; j < keys.rows && sum > 0; ++j) {
      row[j] /= sum;
    }
  }
  return weights;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
