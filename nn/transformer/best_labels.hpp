// The most likely labels of a batch's rows, from one pass.
#pragma once

#include "core/sequence/batch.hpp"
#include "nn/transformer/transformer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// For each row that has a label, whatever its label is: the `count` most likely ones.
BestTokens best_labels(const Transformer& model, const ParameterStore& store, const Batch& batch,
                       Index count, LogSums log_sums = LogSums::wanted);

}}  // namespace tapehead::TAPEHEAD_PRECISION
