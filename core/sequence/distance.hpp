// Distances from a query to a key, key's position less query's, and what positions mean by them:
// buckets of distances that share what is learned, and slopes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/memory/pool_vector.hpp"
#include "core/types.hpp"

namespace tapehead {

// Every distance belongs to one bucket; buckets are numbered in the order of their distances, those
// of keys before the query first. Copies share.
class DistanceBuckets {
 public:
  DistanceBuckets() = default;  // none

  // A bucket for each distance from -before to after; what is farther belongs to the outermost
  // ones. Shaw et al. 2018 have as many on both sides; where nothing is farther, every distance has
  // its own. Throws ConfigError for a negative number.
  static DistanceBuckets clipped(Index before, Index after);

  // The logarithmic buckets of Raffel et al. 2020 (section 2.1 and their code): the half of them
  // that is nearest holds one distance each, the others grow by a constant factor up to `farthest`,
  // and the last has all beyond. `back` for keys up to the query; keys after it belong to the
  // query's own bucket. Throws ConfigError unless 2 <= count, count / 2 < farthest.
  static DistanceBuckets logarithmic_back(Index count, Index farthest);
  // The same to both sides, `count` / 2 of them for each. They are count - 1: T5's own numbering
  // has one for a key that is after the query at distance 0.
  static DistanceBuckets logarithmic(Index count, Index farthest);

  Index count() const { return starts_ == nullptr ? 0 : static_cast<Index>(starts_->size()); }
  Index at(Index distance) const;
  // The buckets of the distances first, first + 1, ...
  void fill(Index first, std::span<std::int32_t> buckets) const;

 private:
  explicit DistanceBuckets(std::vector<Index> starts);

  // The first distance of each bucket; bucket 0 has all that is below that of bucket 1. Where
  // several begin at one distance, it belongs to the last of them.
  std::shared_ptr<const std::vector<Index>> starts_;
};

// The slopes of Press et al. 2022 for each head, whose scores lose slope |distance|: 2^(-8 i / n)
// for i = 1 ... n where n is a power of two; otherwise those of the next smaller power of two, then
// every second one of twice that (their footnote and code).
PoolVector<double> alibi_slopes(Index heads);

}  // namespace tapehead
