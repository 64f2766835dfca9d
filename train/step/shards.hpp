// Cuts a batch into shards of about equal work, which a team computes in parallel, and each shard
// into parts, which are computed one after the other.
#pragma once

#include "core/memory/pool.hpp"
#include "core/sequence/batch.hpp"

namespace tapehead {

// The numbers of rows in a step before a batch. They address the batch's random draws.
struct RowsBefore {
  Index context = 0;
  Index input = 0;
};

// At most `shards` shards, in order, none empty. The cuts depend only on the batch and `shards`.
PoolVector<Batch> cut_into_shards(const Batch& batch, Index shards, RowsBefore before = {});

// The size of a part, in rows of context and input. Small enough that activations (256 KB of floats
// each) stay in a core's cache; large enough that loading the weights for each takes little time.
constexpr Index part_rows(Index d_model) { return std::max(65536 / d_model, 6 * d_model); }

// Parts of about this many rows, at least one part.
PoolVector<Batch> cut_into_parts(const Batch& shard, Index part_rows);

}  // namespace tapehead
