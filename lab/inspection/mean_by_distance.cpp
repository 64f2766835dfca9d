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

}}  // namespace tapehead::TAPEHEAD_PRECISION
