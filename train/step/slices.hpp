// Slices and chunks: ranges of a store's parameters that are updated independently.
#pragma once

#include "core/tape/parameters.hpp"
#include "train/options/options.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Consecutive numbers of one block.
struct BlockRange {
  Index block;
  Index offset;  // in the block
  Index count;
};

// A range in the store's memory, or of shards or chunks.
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

// Part of a block, small enough for caches and for distribution over the workers.
struct Chunk {
  BlockRange range;
  Scalar weight_decay;
  bool in_matrix;  // part of a matrix that is updated as a whole
  Scalar rate;     // factor on the learning rate
};

struct Chunks {
  std::vector<Chunk> all;  // in the order of the store's memory
  std::vector<Slice> slices;
  std::vector<Index> first_of_slice;  // per slice, then the number of all chunks
};

// Never splits a block with parameters that are updated as a whole (matrices): one chunk, whose
// squares are one sum, may contain numbers of two matrices.
Chunks chunks_of(const ParameterStore& store, const TrainingOptions& options, Index slices);

}}  // namespace tapehead::TAPEHEAD_PRECISION
