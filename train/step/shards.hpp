// Shards: a batch cut into parts of about equal work that can be computed side by side; and what
// of them is computed one after the other.
#pragma once

#include <algorithm>

#include "core/memory/pool_vector.hpp"
#include "core/sequence/batch.hpp"

namespace tapehead {

// Rows of a training step that come before a batch: where its random draws are addressed.
struct RowsBefore {
  Index context = 0;
  Index input = 0;
};

// At most `shards` shards, in order, none of them empty. Which sequence falls into which shard
// depends on the batch and on `shards` alone.
PoolVector<Batch> cut_into_shards(const Batch& batch, Index shards, RowsBefore before = {});

// What of a shard is computed at a time, so many rows of context and input: few enough that
// activations stay in a core's own cache on their way from op to op (256 KB of floats each), and
// many enough for the weights, all of which every part takes anew.
constexpr Index part_rows(Index d_model) { return std::max(65536 / d_model, 6 * d_model); }

// Parts of about that size, at least one.
PoolVector<Batch> cut_into_parts(const Batch& shard, Index part_rows);

}  // namespace tapehead
