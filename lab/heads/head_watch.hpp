// Watches every head of a model while it reads the sequences of a source.
#pragma once

#include <functional>
#include <vector>

#include "core/kernel/workers.hpp"
#include "lab/heads/head_sums.hpp"
#include "nn/transformer/transformer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The sums of every attention, in the order in which the model runs them. The decoder gets the
// targets, as in training. The result is the same with any number of threads. `progress` is told
// how many batches are done.
std::vector<AttentionSums> watch_heads(
    const Transformer& model, const ParameterStore& store, const Source& source,
    const ReadFacts& facts, Index batch_tokens, Workers& workers,
    const std::function<void(Index done, Index of)>& progress = {},
    const std::vector<HeadFigureRow>& rows = head_figure_rows());

}}  // namespace tapehead::TAPEHEAD_PRECISION
