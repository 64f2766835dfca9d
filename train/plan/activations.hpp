// What a forward pass keeps in memory for the way back, part by part, as seen by one.
#pragma once

#include <cstddef>
#include <vector>

#include "core/sequence/batch.hpp"
#include "train/experiment.hpp"
#include "train/plan/model_parts.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The number of the batch with the most rows of source and target.
std::size_t largest_batch(const Split& split, const std::vector<std::vector<Index>>& batches);

// Bytes of each part after a forward pass of the largest piece of the batch's shards. To be called
// while no other thread uses the pool.
std::vector<std::size_t> activations_of(const Model& model, const Config& config,
                                        const Batch& batch, const std::vector<ModelPart>& parts);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
