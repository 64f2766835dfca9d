#include "nn/attention/caches.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

KeyValueCache::KeyValueCache(const std::vector<Index>& columns, Index slots, Index longest)
    : slots_(static_cast<std::size_t>(slots)), longest_(longest) {
  for (const Index width : columns) {
    layers_.push_back({.rows = Tensor::empty({0, width}), .context = {}});
  }
}

void KeyValueCache::extend(std::span<const Index> slots, const Segments& segments) {
  Index most = 0;
  for (Index i = 0; i < segments.count(); ++i) {
    Slot& slot = slots_[static_cast<std::size_t>(slots[static_cast<std::size_t>(i)])];
    if (segments[i].position != slot.position + slot.length ||
        slot.length + segments[i].rows > longest_) {
      throw ShapeError(
          "key_value_cache: {} rows at position {} do not follow the slot's {} rows from position "
          "{}, or exceed its limit of {}",
          segments[i].rows, segments[i].position, slot.length, slot.position, longest_);
    }
    most = std::max(most, slot.length + segments[i].rows);
  }
  if (most > capacity_) {
    grow(most);
  }
  keys_.list.clear();
  for (Index i = 0; i < segments.count(); ++i) {
    Slot& slot = slots_[static_cast<std::size_t>(slots[static_cast<std::size_t>(i)])];
    slot.length += segments[i].rows;
    keys_.list.push_back({.row = slot.first, .rows = slot.length, .position = slot.position});
  }
}

// Doubles the capacity, because few sequences come near the maximum length.
void KeyValueCache::grow(Index rows) {
  constexpr Index fewest = 8;
  const Index capacity = std::min(longest_, std::max({rows, 2 * capacity_, fewest}));
  std::vector<Slot> moved = slots_;
  Index used = 0;
  for (Slot& slot : moved) {
    slot.first = used * capacity;
    used += slot.used ? 1 : 0;
  }
  for (LayerCache& layer : layers_) {
    const Tensor old = std::exchange(layer.rows, Tensor());
    const Index columns = old.dim(1);
    layer.rows = Tensor::empty({used * capacity, columns});
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].used && slots_[i].length > 0) {
        std::copy_n(old.row(slots_[i].first), slots_[i].length * columns,
                    layer.rows.row(moved[i].first));
      }
    }
  }
  slots_ = std::move(moved);
  capacity_ = capacity;
}

void KeyValueCache::copy(Index from, Index to) {
  const Slot& source = slots_[static_cast<std::size_t>(from)];
  Slot& target = slots_[static_cast<std::size_t>(to)];
  target.length = source.length;
  target.position = source.position;
  for (LayerCache& layer : layers_) {
    std::copy_n(layer.rows.row(source.first), source.length * layer.rows.dim(1),
                layer.rows.row(target.first));
  }
}

void KeyValueCache::clear(Index slot) {
  slots_[static_cast<std::size_t>(slot)].length = 0;
  slots_[static_cast<std::size_t>(slot)].position = 0;
}

void KeyValueCache::forget(Index number, Index keep, Index sinks) {
  Slot& slot = slots_[static_cast<std::size_t>(number)];
  const Index forgotten = std::max<Index>(0, slot.length - sinks - keep);
  const Index first = slot.first + sinks;
  for (LayerCache& layer : layers_) {
    if (forgotten > 0) {
      std::copy(layer.rows.row(first + forgotten), layer.rows.row(slot.first + slot.length),
                layer.rows.row(first));
    }
  }
  slot.length -= forgotten;
  slot.position += sinks > 0 ? 0 : forgotten;
}

Tensor KeyValueCache::rows(std::size_t layer, Index slot) const {
  const auto& [first, length, position, used] = slots_[static_cast<std::size_t>(slot)];
  const Tensor& all = layers_[layer].rows;
  return all.part(first * all.dim(1), {length, all.dim(1)});
}

void KeyValueCache::release(Index slot) { slots_[static_cast<std::size_t>(slot)].used = false; }

LaneMemory::LaneMemory(const Size& size)
    : size_(size),
      committed_(Tensor::zeros({size.lanes, size.layers, size.rows, size.d_model})),
      written_(Tensor::zeros(committed_.shape())),
      is_written_(static_cast<std::size_t>(size.lanes), 0) {}

Segments LaneMemory::segments(const Tokens& tokens) const {
  if (std::ssize(tokens.lanes) != tokens.segments.count()) {
    throw ShapeError("lane_memory: {} sequences, but {} lanes", tokens.segments.count(),
                     tokens.lanes.size());
  }
  for (const Index lane : tokens.lanes) {
    if (lane < 0 || lane >= size_.lanes) {
      throw ShapeError("lane_memory: lane {} is outside 0 ... {}", lane, size_.lanes - 1);
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
