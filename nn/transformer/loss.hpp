// The loss of a transformer on a batch.
#pragma once

#include "core/ops/cross_entropy.hpp"
#include "nn/transformer/transformer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct LossOptions {
  double label_smoothing = 0;
};

// The cross-entropy of the labels, summed over them. Only rows that have a label get logits.
CrossEntropy batch_loss(const Transformer& model, Pass& pass, const Batch& batch,
                        const LossOptions& options = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
