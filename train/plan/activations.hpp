// The memory that a forward pass keeps for the backward pass, for each part of the model.
#pragma once

#include "core/sequence/batch.hpp"
#include "datasets/loader.hpp"
#include "train/experiment.hpp"
#include "train/plan/model_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The number of its batch with the most source and target rows.
std::size_t largest_batch(const TrainingEpoch& epoch);

// The bytes of each part of the model after a forward pass on the largest part of the batch's
// shards. Call it while no other thread uses the pool.
std::vector<std::size_t> activations_of(const Model& model, const Config& config,
                                        const Batch& batch, const std::vector<ModelPart>& parts);

}}  // namespace tapehead::TAPEHEAD_PRECISION
