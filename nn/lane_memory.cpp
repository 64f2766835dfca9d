#include "nn/lane_memory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

LaneMemory::LaneMemory(const Size& size)
    : size_(size),
      committed_(Tensor::zeros({size.lanes, size.layers, size.rows, size.d_model})),
      written_(Tensor::zeros(committed_.shape())),
      is_written_(static_cast<std::size_t>(size.lanes), 0) {}

Segments LaneMemory::segments(const Tokens& tokens) const {
  if (std::ssize(tokens.lanes) != tokens.segments.count()) {
    throw ShapeError(fmt::format("lane_memory: {} sequences of {} lanes", tokens.segments.count(),
                                 tokens.lanes.size()));
  }
  for (const Index lane : tokens.lanes) {
    if (lane < 0 || lane >= size_.lanes) {
      throw ShapeError(
          fmt::format("lane_memory: lane {} is outside 0 ... {}", lane, size_.lanes - 1));
    }
  }
  return rows_before(tokens.segments, size_.rows);
}

Tensor LaneMemory::read(Index layer, const Tokens& tokens, const Segments& past) const {
  const Index D = size_.d_model;
  Tensor rows = Tensor::empty({row_count(past), D});
  for (Index i = 0; i < past.count(); ++i) {
    const Index lane = tokens.lanes[static_cast<std::size_t>(i)];
    const Index end = (lane * size_.layers + layer + 1) * size_.rows;
    std::copy_n(committed_.data() + (end - past[i].rows) * D, past[i].rows * D,
                rows.row(past[i].row));
  }
  return rows;
}

void LaneMemory::write(Index layer, const Tokens& tokens, const Segments& past, const Tensor& x) {
  const Index D = size_.d_model;
  const Index M = size_.rows;
  for (Index i = 0; i < past.count(); ++i) {
    const Segment& segment = tokens.segments[i];
    const Index lane = tokens.lanes[static_cast<std::size_t>(i)];
    const Index fresh = std::min(M, segment.rows);
    const Index old = std::min(M - fresh, past[i].rows);
    const Index end = (lane * size_.layers + layer + 1) * M * D;
    std::copy_n(committed_.data() + end - old * D, old * D,
                written_.data() + end - (fresh + old) * D);
    std::copy_n(x.row(segment.row + segment.rows - fresh), fresh * D,
                written_.data() + end - fresh * D);
    is_written_[static_cast<std::size_t>(lane)] = 1;
  }
}

std::span<Scalar> LaneMemory::written(Index first_lane, Index lanes) {
  return written_.values().subspan(static_cast<std::size_t>(first_lane * numbers_of_lane()),
                                   static_cast<std::size_t>(lanes * numbers_of_lane()));
}

void LaneMemory::mark_written(std::span<const Index> lanes) {
  for (const Index lane : lanes) {
    is_written_[static_cast<std::size_t>(lane)] = 1;
  }
}

void LaneMemory::commit() {
  for (std::size_t lane = 0; lane < is_written_.size(); ++lane) {
    if (is_written_[lane] == 0) {
      const Index first = static_cast<Index>(lane) * numbers_of_lane();
      std::copy_n(committed_.data() + first, numbers_of_lane(), written_.data() + first);
    }
  }
  std::swap(committed_, written_);
  discard();
}

void LaneMemory::discard() { std::ranges::fill(is_written_, 0); }

}}  // namespace tapehead::TAPEHEAD_PRECISION
