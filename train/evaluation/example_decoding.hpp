// Decodes many examples: sources of similar lengths share a batch, and batches run in parallel, on
// all ranks.
#pragma once

#include <span>
#include <vector>

#include "core/kernel/workers.hpp"
#include "core/ranks/ranks.hpp"
#include "datasets/task.hpp"
#include "nn/generation/decoding.hpp"
#include "train/evaluation/decoding_batches.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The best outputs for each example's source, in the order of the split. The models write token by
// token. A source without tokens has one output, also without tokens. `batch_tokens`: the largest
// number of source tokens in a batch, where a source counts once for each hypothesis of its beam.
// Outputs do not depend on the batches, so the batches are chosen to give each worker of each rank
// the same number.
std::vector<std::vector<Hypothesis>> decode_examples(std::span<const EnsembleMember> models,
                                                     const Split& split, Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     Workers& workers, Ranks& ranks = alone());

// By one model. A model that gives labels in one pass has one output for each example: a class, or
// the labels of its tokens.
std::vector<std::vector<Hypothesis>> decode_examples(const Transformer& model,
                                                     const ParameterStore& store,
                                                     const Split& split, Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     Workers& workers, Ranks& ranks = alone());

}}  // namespace tapehead::TAPEHEAD_PRECISION
