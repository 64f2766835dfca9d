// Which parameters weight decay acts on, in words.
#pragma once

#include <string>

#include "core/tape/parameters.hpp"
#include "train/options/options.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// "0.1 on 25600 weights, 352 embeddings; not on 448 gains, 928 biases": the numbers of parameters
// of each group that the model has.
std::string decay_text(const ParameterStore& store, const TrainingOptions& options);

}}  // namespace tapehead::TAPEHEAD_PRECISION
