// Distances from a query to a key (key position minus query position): the slopes of ALiBi, and
// buckets of distances that share learned numbers.
#pragma once

#include "core/memory/pool.hpp"

namespace tapehead {

// Assigns every distance to a bucket, numbered in the order of distances: keys before the query
// come first. Copies share the buckets.
class DistanceBuckets {
 public:
  DistanceBuckets() = default;  // none

  // One bucket for each distance from -before to after. Distances beyond belong to the first or
  // last bucket (Shaw et al. 2018, with before = after). Throws ConfigError for a negative number.
  static DistanceBuckets clipped(Index before, Index after);

  // The logarithmic buckets of Raffel et al. 2020 (section 2.1 and their code). The nearer half of
  // the buckets holds one distance each. The farther buckets grow by a constant factor up to
  // `farthest`; larger distances belong to the last bucket. logarithmic_back is for keys up to the
  // query; keys after it belong to the bucket of the query. Throws ConfigError unless 2 <= count,
  // count / 2 < farthest.
  static DistanceBuckets logarithmic_back(Index count, Index farthest);
  // The same with `count` / 2 buckets on each side, which share distance 0: count - 1 in all. T5
  // also numbers an unused bucket for a key after the query at distance 0.
  static DistanceBuckets logarithmic(Index count, Index farthest);

  Index count() const { return starts_ == nullptr ? 0 : static_cast<Index>(starts_->size()); }
  Index at(Index distance) const;
  // The buckets of the distances first, first + 1, ...
  void fill(Index first, std::span<std::int32_t> buckets) const;

 private:
  explicit DistanceBuckets(std::vector<Index> starts);

  // The first distance of each bucket. Bucket 0 has all distances below the start of bucket 1. If
  // several buckets begin at the same distance, the last bucket has it.
  std::shared_ptr<const std::vector<Index>> starts_;
};

// The slopes of Press et al. 2022 for each head: slope |distance| is subtracted from its scores.
// They are 2^(-8 i / n) for i = 1 ... n if n is a power of two. Otherwise the slopes for the next
// smaller power of two come first, then every second slope for twice that (their footnote and
// code).
PoolVector<double> alibi_slopes(Index heads);

}  // namespace tapehead
