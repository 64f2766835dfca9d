#include "lab/inspection/mean_by_distance.hpp"

#include <algorithm>
#include <vector>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

DistanceWeights mean_by_distance(const Tensor& weights, const Pattern& pattern, Index prefix) {
  const Index queries = weights.dim(0);
  const Index keys = weights.dim(1);
  DistanceWeights mean{.first = 1 - queries,
                       .weights = PoolVector<Scalar>(static_cast<std::size_t>(queries + keys))};
  std::vector<Index> counts(mean.weights.size());
  for (Index i = 0; i < queries; ++i) {
    for (Index j = 0; j < keys; ++j) {
      if (pattern.allowed(i, j, prefix)) {
        const auto distance = static_cast<std::size_t>(j - i - mean.first);
        mean.weights[distance] += weights.row(i)[j];
        ++counts[distance];
      }
    }
  }
  for (std::size_t d = 0; d < counts.size(); ++d) {
    mean.weights[d] /= static_cast<Scalar>(std::max<Index>(counts[d], 1));
  }
  return mean;
}

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
