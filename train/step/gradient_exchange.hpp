// Brings the shards' gradients of each slice to the rank that owns it.
#pragma once

#include <memory>
#include <vector>

#include "core/memory/pool.hpp"
#include "core/ranks/ranks.hpp"
#include "train/step/gradient_sum.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Which rank computes which shards of a step: consecutive ones, in the order of the ranks.
struct ShardRange {
  Index begin;
  Index end;
};
ShardRange shards_of_rank(Index shards, Index rank, Index ranks);

class GradientExchange {
 public:
  // `slices`: of each rank. Store and ranks must outlive it.
  GradientExchange(const ParameterStore& store, std::vector<Slice> slices, Index shards,
                   Ranks& ranks);

  // Takes the gradients of this rank's shards, in their order, and returns those of all shards for
  // this rank's slice. The result refers to both. A block that a shard has not written does not
  // travel.
  PoolVector<ShardGradients> bring(const std::vector<ParameterGradients*>& computed);

  // The bytes of gradients that this rank sends at each step, if each shard has written all blocks.
  double bytes_sent() const;

 private:
  const bool* written(Index shard) const { return written_.get() + shard * store_.blocks(); }
  void share_marks(const std::vector<ParameterGradients*>& computed);
  void add_outgoing(Index to, std::span<const ShardGradients> all);
  void add_incoming(Index from, std::span<const ShardGradients> all);

  const ParameterStore& store_;
  std::vector<Slice> slices_;
  Index shards_;
  Ranks& ranks_;
  std::vector<std::vector<BlockRange>> blocks_;  // in the slice of each rank
  std::unique_ptr<bool[]> written_;              // of each shard, of each block
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
