// What every head attends to, as a pass over a batch has it.
#pragma once

#include <vector>

#include "core/sequence/batch.hpp"
#include "nn/pass.hpp"
#include "train/experiment.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Each head on each sequence, in the order in which a pass meets them.
std::vector<RecordedAttention> recorded_attentions(const Model& model, const Batch& batch);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
