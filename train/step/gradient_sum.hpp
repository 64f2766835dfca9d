// The sum and norm of the shards' gradients, with which an optimiser's step starts.
#pragma once

#include <vector>

#include "core/memory/pool_vector.hpp"
#include "core/tape/parameters.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The sum over the shards, for each block: in the memory of the first shard that wrote the block,
// whose gradients it overwrites; zeros if none did.
using GradientSums = PoolVector<Tensor>;
GradientSums place_for_sums(const ParameterStore& store,
                            const std::vector<ParameterGradients*>& shards);

// Consecutive numbers of a block.
struct BlockRange {
  Index block;
  Index offset;  // in the block
  Index count;
};

// Computes one range of the sum, times `scale`, at its place; returns Σ sum².
double sum_gradients(const BlockRange& range, const std::vector<ParameterGradients*>& shards,
                     Scalar scale, Scalar* sum);

// Throws a NumericError that names the first parameter whose sum has a number that is not finite.
[[noreturn]] void report_not_finite(const ParameterStore& store, const GradientSums& sums);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
