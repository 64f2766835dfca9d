// Decoding: finds the best outputs for prompts, greedily or with beam search.
#pragma once

#include <span>
#include <vector>

#include "nn/generation/beam.hpp"
#include "nn/generation/ensemble.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Of each prompt, best first: what follows its input.
using Outputs = std::vector<std::vector<Hypothesis>>;

// The best outputs of each prompt. The models must have decoders. `prompts`: the same prompts for
// each model, in its own layout.
Outputs decode_batch(std::span<const EnsembleMember> models, std::span<const Prompts> prompts,
                     const DecodingOptions& options);

// Of one model.
Outputs decode_batch(const Transformer& model, const ParameterStore& store, const Prompts& prompts,
                     const DecodingOptions& options);

}}  // namespace tapehead::TAPEHEAD_PRECISION
