#include "core/sequence/distance.hpp"

namespace tapehead {

namespace {

// The first distances of the logarithmic buckets of one side: i for bucket i of the nearer half,
// then exact (farthest / exact)^((i - exact) / steps). Whole numbers stay whole despite rounding.
std::vector<Index> logarithmic_starts(Index count, Index farthest) {
  const Index exact = count / 2;
  const Index steps = count - exact;
  if (exact < 1 || exact >= farthest) {
    throw ConfigError(
        "distance buckets: {} for one side up to distance {}: give 2 buckets or more; half of "
        "their number must be less than the distance",
        count, farthest);
  }
  std::vector<Index> starts(static_cast<std::size_t>(count));
  std::iota(starts.begin(), starts.end(), Index{0});
  const double growth = static_cast<double>(farthest) / static_cast<double>(exact);
  for (Index i = 0; i < steps; ++i) {
    const double power = static_cast<double>(i) / static_cast<double>(steps);
    starts[static_cast<std::size_t>(exact + i)] =
        static_cast<Index>(std::ceil(static_cast<double>(exact) * std::pow(growth, power) - 1e-9));
  }
  return starts;
}

// Mirrors the buckets for keys before the query. A bucket holds the distances from its start up to
// the next start, so its mirror image begins at 1 - the next start.
std::vector<Index> backwards(const std::vector<Index>& starts) {
  std::vector<Index> reversed(starts.size());
  for (std::size_t i = 1; i < starts.size(); ++i) {
    reversed[starts.size() - i] = 1 - starts[i];
  }
  reversed[0] = reversed[std::min<std::size_t>(1, starts.size() - 1)] - 1;
  return reversed;
}

}  // namespace

DistanceBuckets::DistanceBuckets(std::vector<Index> starts)
    : starts_(std::make_shared<const std::vector<Index>>(std::move(starts))) {}

DistanceBuckets DistanceBuckets::clipped(Index before, Index after) {
  if (before < 0 || after < 0) {
    throw ConfigError("distance buckets: {} before and {} after the query: neither may be negative",
                      before, after);
  }
  std::vector<Index> starts(static_cast<std::size_t>(before + 1 + after));
  std::iota(starts.begin(), starts.end(), -before);
  return DistanceBuckets(std::move(starts));
}

DistanceBuckets DistanceBuckets::logarithmic_back(Index count, Index farthest) {
  return DistanceBuckets(backwards(logarithmic_starts(count, farthest)));
}

DistanceBuckets DistanceBuckets::logarithmic(Index count, Index farthest) {
  const std::vector<Index> after = logarithmic_starts(count / 2, farthest);
  std::vector<Index> starts = backwards(after);
  starts.insert(starts.end(), after.begin() + 1, after.end());
  return DistanceBuckets(std::move(starts));
}

Index DistanceBuckets::at(Index distance) const {
  return std::upper_bound(starts_->begin() + 1, starts_->end(), distance) - starts_->begin() - 1;
}

void DistanceBuckets::fill(Index first, std::span<std::int32_t> buckets) const {
  Index bucket = at(first);
  for (Index distance = first; std::int32_t& place : buckets) {
    while (bucket + 1 < count() && (*starts_)[static_cast<std::size_t>(bucket + 1)] <= distance) {
      ++bucket;
    }
    place = static_cast<std::int32_t>(bucket);
    ++distance;
  }
}

PoolVector<double> alibi_slopes(Index heads) {
  const auto whole = static_cast<Index>(std::bit_floor(static_cast<std::size_t>(heads)));
  PoolVector<double> slopes(static_cast<std::size_t>(heads));
  for (Index i = 0; i < heads; ++i) {
    const Index halves = i < whole ? 2 * (i + 1) : 2 * (i - whole) + 1;
    const double power = static_cast<double>(halves) / static_cast<double>(2 * whole);
    slopes[static_cast<std::size_t>(i)] = std::exp2(-8 * power);
  }
  return slopes;
}

}  // namespace tapehead
