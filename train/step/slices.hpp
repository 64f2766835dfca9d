// Slices: consecutive numbers of a model's parameters. Each has one owner, which alone sums its
// gradients, keeps what the optimiser keeps of it, and updates it (train/step/exchange.hpp).
#pragma once

#include "core/tape/parameters.hpp"
#include "train/options/options.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Consecutive numbers of a block.
struct BlockRange {
  Index block;
  Index offset;  // in the block
  Index count;
};

// A range: of the store's memory, of shards or of chunks.
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

// The parts of the blocks that are in a slice.
std::vector<BlockRange> blocks_in(const ParameterStore& store, const Slice& slice);

// Some numbers of one block, few enough for the caches and for distribution over the workers.
struct Chunk {
  BlockRange range;
  Scalar weight_decay;
  bool in_matrix;   // updated with the whole matrix
  Scalar rate = 1;  // factor on the learning rate
};

struct Chunks {
  std::vector<Chunk> all;  // in the order of the store's memory
  std::vector<Slice> slices;
  std::vector<Index> first_of_slice;  // the first chunk in each slice, then the number of all
};

// A block with parameters that are updated as a whole is in one slice: a chunk, whose squares are
// one sum, may have numbers of two of them.
Chunks chunks_of(const ParameterStore& store, const TrainingOptions& options, Index slices);

}}  // namespace tapehead::TAPEHEAD_PRECISION
