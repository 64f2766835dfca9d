// Slices: consecutive numbers of a model's parameters. Of several ranks each owns one: it alone
// sums its gradients, keeps what the optimiser keeps of it, and updates it.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/tape/parameters.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Consecutive numbers of a block.
struct BlockRange {
  Index block;
  Index offset;  // in the block
  Index count;
};

// A range of the store's memory.
struct Slice {
  Index begin;
  Index end;

  Index size() const { return end - begin; }
  Slice overlap(const Slice& other) const {
    const Index first = std::max(begin, other.begin);
    return {.begin = first, .end = std::max(first, std::min(end, other.end))};
  }
};

inline Slice slice_of(const ParameterStore& store, Index block) {
  const Index begin = store.block_begin(block);
  return {.begin = begin, .end = begin + store.block_size(block)};
}

inline Slice slice_of(const NamedParameter& parameter) {
  return {.begin = parameter.offset, .end = parameter.offset + parameter.shape.size()};
}

// Slices of about the same size, one for each rank, in order, which together are the whole store.
// They end at `edges`, numbers of the store's memory in ascending order, so some may be empty.
std::vector<Slice> cut_into_slices(Index size, std::span<const Index> edges, Index ranks);

// The parts of the blocks that are in a slice.
std::vector<BlockRange> blocks_in(const ParameterStore& store, const Slice& slice);

}}  // namespace tapehead::TAPEHEAD_PRECISION
