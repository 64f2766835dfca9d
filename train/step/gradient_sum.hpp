// The sum and norm of the shards' gradients, with which an optimiser's step starts.
#pragma once

#include <span>
#include <string>

#include "core/memory/pool.hpp"
#include "core/tape/parameters.hpp"
#include "train/step/slices.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The gradients of one shard: where a tape has left them, or those of one slice where they have
// arrived from elsewhere.
class ShardGradients {
 public:
  explicit ShardGradients(ParameterGradients& computed) : computed_(&computed) {}

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

// The sum over the shards, of the blocks in a slice: in the memory of the first shard that wrote a
// block, whose gradients it overwrites; zeros if none did.
class GradientSums {
 public:
  GradientSums(const ParameterStore& store, std::span<const ShardGradients> shards,
               const Slice& slice);

  // Of a block, from its number `offset` on.
  Scalar* at(Index block, Index offset) {
    auto& [memory, first] = places_[static_cast<std::size_t>(block)];
    return memory.data() + offset - first;
  }

 private:
  struct Place {
    Tensor memory;
    Index first;  // the number of the block at which it begins
  };
  PoolVector<Place> places_;
};

// Computes one range of the sum, times `scale`, at its place; returns Σ sum².
double sum_gradients(const BlockRange& range, std::span<const ShardGradients> shards, Scalar scale,
                     Scalar* sum);

// What is wrong with a sum whose norm is not finite: names the first parameter in the slice that
// has a number which is not finite. Empty if there is none.
std::string not_finite_in(const ParameterStore& store, GradientSums& sums, const Slice& slice);

}}  // namespace tapehead::TAPEHEAD_PRECISION
