// Decodes many examples: sources of similar lengths share a batch, and batches are spread over a
// team.
#pragma once

#include <span>
#include <vector>

#include "datasets/task.hpp"
#include "nn/generation/decoding.hpp"
#include "train/evaluation/decoding_batches.hpp"
#include "train/step/team.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The best outputs for each example's source, in the order of the split. The models write token by
// token. A source without tokens has one output, also without tokens. `batch_tokens`: the largest
// number of source tokens in a batch, where a source counts once for each hypothesis of its beam.
// Outputs do not depend on the batches, so the batches are chosen to give each worker of the team
// the same number.
std::vector<std::vector<Hypothesis>> decode_examples(std::span<const EnsembleMember> models,
                                                     const Split& split, Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     const Team& team);

// By one model. A model that gives labels in one pass has one output for each example: a class, or
// the labels of its tokens.
std::vector<std::vector<Hypothesis>> decode_examples(const Transformer& model,
                                                     const ParameterStore& store,
                                                     const Split& split, Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     const Team& team);

}}  // namespace tapehead::TAPEHEAD_PRECISION
