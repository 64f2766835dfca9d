// Decoding: finds the best outputs for prompts, greedily or with beam search.
#pragma once

#include <vector>

#include "nn/generation/decoding_options.hpp"
#include "nn/transformer/transformer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The best outputs of each prompt, best first: what follows its input. The model must have a
// decoder.
std::vector<std::vector<Hypothesis>> decode_batch(const Transformer& model,
                                                  const ParameterStore& store,
                                                  const Prompts& prompts,
                                                  const DecodingOptions& options);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
