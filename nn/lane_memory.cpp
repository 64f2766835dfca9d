#include "nn/lane_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

Index lane_of(const Tokens& tokens, Index sequence, Index lanes) {
  const Index lane = tokens.lanes[static_cast<std::size_t>(sequence)];
  if (lane < 0 || lane >= lanes) {
    throw ShapeError(fmt::format("lane_memory: sequence {} is of lane {}, outside 0 ... {}",
                                 sequence, lane, lanes - 1));
  }
  return lane;
}

}  // namespace

LaneMemory::LaneMemory(const Size& size)
    : size_(size),
      kept_(Tensor::zeros({size.lanes, size.layers, size.rows, size.d_model})),
      written_(Tensor::zeros(kept_.shape())),
      is_written_(static_cast<std::size_t>(size.lanes), 0) {}

Scalar* LaneMemory::rows_of(Tensor& all, Index lane, Index layer) const {
  return all.data() + (lane * size_.layers + layer) * size_.rows * size_.d_model;
}

Segments LaneMemory::segments(const Tokens& tokens) const {
  if (std::ssize(tokens.lanes) != tokens.segments.count()) {
    throw ShapeError(fmt::format("lane_memory: {} sequences of {} lanes", tokens.segments.count(),
                                 tokens.lanes.size()));
  }
  return rows_before(tokens.segments, size_.rows);
}

Tensor LaneMemory::read(Index layer, const Tokens& tokens) const {
  const Segments past = segments(tokens);
  const Index D = size_.d_model;
  Tensor rows = Tensor::empty({row_count(past), D});
  for (Index i = 0; i < past.count(); ++i) {
    const Index lane = lane_of(tokens, i, size_.lanes);
    const Index end = ((lane * size_.layers + layer) + 1) * size_.rows;
    std::copy_n(kept_.data() + (end - past[i].rows) * D, past[i].rows * D, rows.row(past[i].row));
  }
  return rows;
}

void LaneMemory::write(Index layer, const Tokens& tokens, const Tensor& x) {
  const Index D = size_.d_model;
  const Index M = size_.rows;
  const Segments past = segments(tokens);
  for (Index i = 0; i < tokens.segments.count(); ++i) {
    const Segment& segment = tokens.segments[i];
    const Index lane = lane_of(tokens, i, size_.lanes);
    const Index fresh = std::min(M, segment.rows);
    const Index old = std::min(M - fresh, past[i].rows);
    Scalar* end = rows_of(written_, lane, layer) + M * D;
    const Scalar* kept_end = rows_of(kept_, lane, layer) + M * D;
    std::copy_n(kept_end - old * D, old * D, end - (fresh + old) * D);
    std::copy_n(x.row(segment.row + segment.rows - fresh), fresh * D, end - fresh * D);
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
      std::copy_n(kept_.data() + first, numbers_of_lane(), written_.data() + first);
    }
  }
  std::ranges::fill(is_written_, 0);
  std::swap(kept_, written_);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
