#include "train/step/gate_training.hpp"

#include <algorithm>
#include <utility>

#include "core/ops/arithmetic.hpp"
#include "core/ops/heads/head_scaling.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

OpenHeads::OpenHeads(const Transformer& transformer) {
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    const std::optional<Parameter>& gates = attention->weights.gates.log_alpha;
    if (gates &&
        std::ranges::find(log_alphas_, gates->block, &Parameter::block) == log_alphas_.end()) {
      log_alphas_.push_back(*gates);
      gated_ += attention->spec.heads;
    }
  }
}

Var OpenHeads::expected(Pass& pass) const {
  Var sum = open_gates(pass.parameter(log_alphas_.front()));
  for (std::size_t i = 1; i < log_alphas_.size(); ++i) {
    sum = add(sum, open_gates(pass.parameter(log_alphas_[i])));
  }
  return sum;
}

double OpenHeads::expected(const ParameterStore& store) const {
  if (gated_ == 0) {
    return 0;
  }
  Tape tape(false);
  Pass pass(tape, store);
  return static_cast<double>(expected(pass).value().data()[0]);
}

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

}}  // namespace tapehead::TAPEHEAD_PRECISION
