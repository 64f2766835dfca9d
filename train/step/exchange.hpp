// The exchange: what a training step shares with the ranks that train together. Each computes some
// of the shards, and owns a slice of the parameters: consecutive numbers, of which it alone sums
// the gradients, keeps what the optimiser keeps, and makes the update.
#pragma once

#include "core/memory/pool.hpp"
#include "core/ranks/ranks.hpp"
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

// A shard's gradients: where a tape left them, or those of one slice, where they arrived.
class ShardGradients {
 public:
  explicit ShardGradients(ParameterGradients* computed) : computed_(computed) {}

  // `written`: whether the shard has a gradient, for each block. It must outlive the object.
  ShardGradients(const ParameterStore& store, const Slice& slice, const bool* written)
      : store_(&store), slice_(slice), written_(written), arrived_(Tensor::empty({slice.size()})) {}

  bool written(Index block) const {
    return computed_ != nullptr ? computed_->written(block) : written_[block];
  }

  // Of a block that is written, from its number `offset` on.
  const Scalar* at(Index block, Index offset) const {
    return computed_ != nullptr ? computed_->data(block) + offset
                                : arrived_.data() + offset - first(block);
  }

  // The memory of a block that is written, and the number of the block at which it begins. That is
  // less than 0 if the memory has numbers of other blocks before it.
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
  // Store and ranks must outlive it.
  Exchange(const ParameterStore& store, const TrainingOptions& options, Ranks& ranks);

  // Consecutive ones, in the order of the ranks.
  Slice shards() const { return part(first_shards_, ranks_.rank()); }  // that this one computes
  Slice chunks() const { return part(first_chunks_, ranks_.rank()); }  // that it updates
  Slice slice() const { return slice_of(ranks_.rank()); }              // their numbers
  Slice slice_of(Index rank) const { return part(first_numbers_, rank); }

  // Takes the gradients of this process's shards, in their order, and returns those of all shards
  // for its slice. The result refers to both. A block that a shard has not written does not travel.
  PoolVector<ShardGradients> bring(const std::vector<ParameterGradients*>& computed);

  // These fill in everywhere what each process has of `all`, which is in the order of the shards:
  // as many bytes of each, or those from begins[shard] to begins[shard + 1].
  void share_shards(std::span<std::byte> all);
  void share_shards(std::span<std::byte> all, std::span<const Index> begins);
  void share_chunks(std::span<double> of_each);
  void share_slices(std::span<Scalar> of_store);

  // The first text that is not empty, or signal that is not 0, in the order of the ranks.
  std::string first_text(std::string_view mine);
  int first_signal(int mine);

  // The bytes that this process sends at each step, if each shard has written all blocks.
  // `remembered`: how many numbers a training with a memory has there.
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
  // Of each rank, and one past the last of all.
  std::vector<Index> first_shards_;
  std::vector<Index> first_chunks_;
  std::vector<Index> first_numbers_;
  std::vector<std::vector<BlockRange>> blocks_;  // in the slice of each rank
  std::unique_ptr<bool[]> written_;              // of each shard, of each block
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
