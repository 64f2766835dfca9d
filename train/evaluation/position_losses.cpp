#include "train/evaluation/position_losses.hpp"

namespace tapehead {

PositionLosses::PositionLosses(Index positions) {
  constexpr Index most = 32;
  for (Index last = 0; last < positions;) {
    const Index first = last + 1;
    const auto left = static_cast<double>(most - std::ssize(ranges_));
    const auto end = static_cast<double>(std::max<Index>(1, last));
    const double factor = std::pow(static_cast<double>(positions) / end, 1 / left);
    last = last == 0 ? 1 : std::max<Index>(first, std::lround(end * factor));
    ranges_.push_back({.first = first, .last = last});
  }
}

void PositionLosses::add(const Batch& batch, std::span<const double> losses) {
  if (ranges_.empty()) {
    return;
  }
  const std::vector<Index> read_before = positions(batch.input.segments);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto row = batch.labels.every_row ? i : static_cast<std::size_t>(batch.labels.rows[i]);
    PositionLoss& range =
        *std::ranges::lower_bound(ranges_, read_before[row] + 1, {}, &PositionLoss::last);
    ++range.tokens;
    range.negative_log_likelihood += losses[i];
  }
}

void PositionLosses::add(const PositionLosses& other) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    ranges_[i].tokens += other.ranges_[i].tokens;
    ranges_[i].negative_log_likelihood += other.ranges_[i].negative_log_likelihood;
  }
}

std::vector<PositionLoss> PositionLosses::ranges() const {
  std::vector<PositionLoss> labelled;
  std::ranges::copy_if(ranges_, std::back_inserter(labelled),
                       [](const PositionLoss& range) { return range.tokens > 0; });
  return labelled;
}

}  // namespace tapehead
