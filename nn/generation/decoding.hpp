// Decoding: finds the best outputs for source sentences, greedily or with beam search.
#pragma once

#include <vector>

#include "nn/generation/decoding_options.hpp"
#include "nn/transformer/transformer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The best outputs of each source segment, best first. The model must have an encoder and a
// decoder.
std::vector<std::vector<Hypothesis>> decode_batch(const Transformer& model,
                                                  const ParameterStore& store, const Tokens& source,
                                                  const DecodingOptions& options);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
