#include "train/gate_training.hpp"

#include <utility>

#include "core/ops/arithmetic.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

PenaltyFunction gate_penalty(const Transformer& transformer, double weight) {
  OpenHeads heads(transformer);
  if (weight == 0 || heads.gated() == 0) {
    return {};
  }
  return [heads = std::move(heads), weight](Pass& pass) {
    return scale(heads.expected(pass), static_cast<Scalar>(weight));
  };
}

void scale_gate_rate(const Transformer& transformer, double factor, Optimizer& optimizer) {
  const OpenHeads heads(transformer);
  for (const Parameter& gates : heads.gates()) {
    optimizer.scale_rate(gates, factor);
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
