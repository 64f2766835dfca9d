// The loss of an encoder-decoder transformer on a batch.
#pragma once

#include "core/ops/cross_entropy.hpp"
#include "datasets/batch.hpp"
#include "nn/transformer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Cross-entropy of the target's tokens, each predicted from the source and the tokens before it
// (teacher forcing).
CrossEntropy translation_loss(const Transformer& model, Pass& pass, const Batch& batch,
                              double label_smoothing);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
