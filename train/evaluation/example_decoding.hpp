// Decoding of many examples: sources of like length share a batch, and batches run side by side.
#pragma once

#include <vector>

#include "core/kernel/workers.hpp"
#include "datasets/task.hpp"
#include "nn/generation/decoding.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// What `translate` takes at once unless told otherwise: source tokens of all hypotheses.
inline constexpr Index decoding_batch_tokens = 2048;

// The examples of each batch of `decode_examples`, the longest first.
std::vector<std::vector<Index>> decoding_batches(const Split& split, Index batch_tokens, Index beam,
                                                 Index workers);

// The best outputs of each example's source, in the order of the split; a source without tokens has
// one output, without tokens too. `batch_tokens`: the most
// source tokens in a batch, where a source counts once for each hypothesis of its beam. Outputs do
// not depend on the batches, so that these may suit the number of workers: as many for each.
std::vector<std::vector<Hypothesis>> decode_examples(const Transformer& model,
                                                     const ParameterStore& store,
                                                     const Split& split, Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     Workers& workers);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
