#include "train/run/rank_moments.hpp"

#include <algorithm>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

std::vector<RankMoments::Part> RankMoments::parts_of(const NamedParameter& parameter) const {
  std::vector<Part> parts;
  const Slice whole = slice_of(parameter);
  for (Index rank = 0; rank < ranks_.count(); ++rank) {
    const Slice part = whole.overlap(optimizer_.slices()[static_cast<std::size_t>(rank)]);
    if (part.size() > 0) {
      parts.push_back({.rank = rank,
                       .first = static_cast<std::size_t>(part.begin - whole.begin),
                       .count = static_cast<std::size_t>(part.size())});
    }
  }
  return parts;
}

std::span<const Scalar> RankMoments::bring(const Optimizer::State& state,
                                           const NamedParameter& parameter) {
  const std::span<Scalar> mine = optimizer_.kept(state, parameter);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  if (!ranks_.first()) {
    if (!mine.empty()) {
      outgoing.push_back({.to = 0, .bytes = std::as_bytes(mine)});
    }
    ranks_.exchange(outgoing, incoming);
    return {};
  }
  all_.resize(static_cast<std::size_t>(parameter.shape.size()));
  for (const auto& [rank, first, count] : parts_of(parameter)) {
    const std::span<Scalar> place = std::span(all_).subspan(first, count);
    if (rank == 0) {
      std::ranges::copy(mine, place.begin());
    } else {
      incoming.push_back({.from = rank, .bytes = std::as_writable_bytes(place)});
    }
  }
  ranks_.exchange(outgoing, incoming);
  return all_;
}

void RankMoments::give(const Optimizer::State& state, const NamedParameter& parameter,
                       std::span<const Scalar> all) {
  const std::span<Scalar> mine = optimizer_.kept(state, parameter);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  if (!ranks_.first() && !mine.empty()) {
    incoming.push_back({.from = 0, .bytes = std::as_writable_bytes(mine)});
  }
  for (const auto& [rank, first, count] : parts_of(parameter)) {
    if (ranks_.first() && rank == 0) {
      std::ranges::copy(all.subspan(first, count), mine.begin());
    } else if (ranks_.first()) {
      outgoing.push_back({.to = rank, .bytes = std::as_bytes(all.subspan(first, count))});
    }
  }
  ranks_.exchange(outgoing, incoming);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
