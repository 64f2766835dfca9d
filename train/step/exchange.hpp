// The exchange: what ranks share in a training step. Each rank computes some of the shards, and
// owns a slice of the parameters: it alone sums their gradients, keeps their state, updates them.
#pragma once

#include "core/memory/pool.hpp"
#include "core/ranks/ranks.hpp"
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

// A shard's gradients: all of them in the tape's buffers, or one slice received from another rank.
class ShardGradients {
 public:
  explicit ShardGradients(ParameterGradients* computed) : computed_(computed) {}

  // `written`: for each block, whether the shard has a gradient. It must outlive the object.
  ShardGradients(const ParameterStore& store, const Slice& slice, const bool* written)
      : store_(&store), slice_(slice), written_(written), arrived_(Tensor::empty({slice.size()})) {}

  bool written(Index block) const {
    return computed_ != nullptr ? computed_->written(block) : written_[block];
  }

  // The gradient of a written block, from the block's number `offset` on.
  const Scalar* at(Index block, Index offset) const {
    return computed_ != nullptr ? computed_->data(block) + offset
                                : arrived_.data() + offset - first(block);
  }

  // The memory with the gradient of a written block, and the index in the block of its first
  // number. The index is negative if the memory begins with other blocks.
  Tensor memory(Index block) const {
    return computed_ != nullptr ? computed_->slot(block).memory : arrived_;
  }
  Index first(Index block) const {
    return computed_ != nullptr ? 0 : slice_.begin - store_->block_begin(block);
  }

 private:
  ParameterGradients* computed_ = nullptr;
  const ParameterStore* store_ = nullptr;
  Slice slice_{};
  const bool* written_ = nullptr;
  Tensor arrived_;  // the numbers of the slice
};

class Exchange {
 public:
  // `store` and `ranks` must outlive it.
  Exchange(const ParameterStore& store, const TrainingOptions& options, Ranks& ranks);

  // Ranges of this rank; the ranges of all ranks are consecutive, in rank order.
  Slice shards() const { return part(first_shards_, ranks_.rank()); }  // computed by this rank
  Slice chunks() const { return part(first_chunks_, ranks_.rank()); }  // updated by this rank
  Slice slice() const { return slice_of(ranks_.rank()); }              // numbers of these chunks
  Slice slice_of(Index rank) const { return part(first_numbers_, rank); }

  // Takes the gradients of this rank's shards, in order. Returns the gradients of all shards for
  // this rank's slice; they refer to `computed` and the exchange. Does not send unwritten blocks.
  PoolVector<ShardGradients> bring(const std::vector<ParameterGradients*>& computed);

  // Each rank has filled its part of `all`; afterwards every rank has all parts. The data is in
  // shard order: equally many bytes per shard, or from begins[shard] to begins[shard + 1].
  void share_shards(std::span<std::byte> all);
  void share_shards(std::span<std::byte> all, std::span<const Index> begins);
  void share_chunks(std::span<double> of_each);
  void share_slices(std::span<Scalar> of_store);

  // The first non-empty text, or non-zero signal, in rank order.
  std::string first_text(std::string_view mine);
  int first_signal(int mine);

  // The bytes that this rank sends per step, if each shard writes all blocks. `remembered`: the
  // size of the training memory, in numbers.
  double bytes_sent(Index remembered) const;

 private:
  static Slice part(const std::vector<Index>& firsts, Index rank) {
    return {.begin = firsts[static_cast<std::size_t>(rank)],
            .end = firsts[static_cast<std::size_t>(rank) + 1]};
  }
  void share(std::span<std::byte> all, std::span<const Index> firsts, std::size_t bytes);
  void share_marks(const std::vector<ParameterGradients*>& computed);
  std::vector<std::span<Scalar>> travelling(Index from, Index to,
                                            std::span<const ShardGradients> all) const;

  const ParameterStore& store_;
  Index shard_count_;
  Ranks& ranks_;
  // The first index of each rank, then the end of the last.
  std::vector<Index> first_shards_;
  std::vector<Index> first_chunks_;
  std::vector<Index> first_numbers_;
  std::vector<std::vector<BlockRange>> blocks_;  // the blocks in each rank's slice
  std::unique_ptr<bool[]> written_;              // for each shard and block
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
