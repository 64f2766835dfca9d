// Shards: a batch cut into parts of about equal work that can be computed side by side.
#pragma once

#include "core/pool_vector.hpp"
#include "datasets/batch.hpp"

namespace tapehead {

// Rows of a training step that come before a batch: where its random draws are addressed.
struct RowsBefore {
  Index source = 0;
  Index target = 0;
};

// At most `shards` parts, in order, none of them empty. Which sequence falls into which part
// depends on the batch and on `shards` alone.
PoolVector<Batch> cut_into_shards(const Batch& batch, Index shards, RowsBefore before = {});

}  // namespace tapehead
