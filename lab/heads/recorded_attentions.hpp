// The attention weights of every head in a pass over a batch.
#pragma once

#include <vector>

#include "core/sequence/batch.hpp"
#include "nn/pass.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Each head for each sequence, in the order in which a pass computes them.
std::vector<RecordedAttention> recorded_attentions(const Model& model, const Batch& batch);

}}  // namespace tapehead::TAPEHEAD_PRECISION
