// What every head of a model does while it reads the sequences of a source, or a batch.
#pragma once

#include "core/kernel/workers.hpp"
#include "core/sequence/batch.hpp"
#include "lab/heads/head_sums.hpp"
#include "nn/pass.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The sums of every attention, in the order in which the model runs them, with the targets for the
// decoder as in training; the same with any number of threads. `progress` counts batches.
std::vector<AttentionSums> watch_heads(
    const Transformer& model, const ParameterStore& store, const Source& source,
    const ReadFacts& facts, Index batch_tokens, Workers& workers,
    const std::function<void(Index done, Index of)>& progress = {},
    const std::vector<HeadFigureRow>& rows = head_figure_rows());

// Each head for each sequence, in the order in which a pass computes them.
std::vector<RecordedAttention> recorded_attentions(const Model& model, const Batch& batch);

}}  // namespace tapehead::TAPEHEAD_PRECISION
