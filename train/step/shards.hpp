// Shards: cuts a batch into shards of about equal work, which a team computes in parallel. A large
// shard is cut into parts, which are computed one after the other.
#pragma once

#include "core/kernel/workers.hpp"
#include "core/memory/pool.hpp"
#include "core/ranks/ranks.hpp"
#include "core/sequence/batch.hpp"

namespace tapehead {

// The rows of a training step that come before a batch. They address its random draws.
struct RowsBefore {
  Index context = 0;
  Index input = 0;
};

// At most `shards` shards, in order, none empty. The cuts depend only on the batch and `shards`.
PoolVector<Batch> cut_into_shards(const Batch& batch, Index shards, RowsBefore before = {});

// The size of a part, in rows of context and input. It is small enough that activations (256 KB of
// floats each) stay in a core's own cache from op to op, and large enough that loading the weights,
// which each part does again, takes little time.
constexpr Index part_rows(Index d_model) { return std::max(65536 / d_model, 6 * d_model); }

// Parts of about this size, at least one.
PoolVector<Batch> cut_into_parts(const Batch& shard, Index part_rows);

// The workers of all ranks together; those of this process if it works alone.
struct Team {
  // Both must outlive it.
  Team(Workers& own, Ranks& all = alone()) : workers(own), ranks(all) {}

  Workers& workers;  // of this process
  Ranks& ranks;
};

}  // namespace tapehead
