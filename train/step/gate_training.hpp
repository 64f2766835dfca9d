// Trains the gates on heads (Voita et al. 2019, section 5.2).
#pragma once

#include <vector>

#include "nn/transformer/transformer.hpp"
#include "train/step/trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The gates of all heads of a model, and how many of them are open.
class OpenHeads {
 public:
  explicit OpenHeads(const Transformer& transformer);

  // The number of heads with gates. Attentions that share weights count once.
  Index gated() const { return gated_; }

  // The expected number of open heads in a step's draws, Σ P(z > 0) (Voita et al. 2019, equation
  // 8); (1). There must be gates.
  Var expected(Pass& pass) const;
  double expected(const ParameterStore& store) const;

  const std::vector<Parameter>& gates() const { return log_alphas_; }

 private:
  std::vector<Parameter> log_alphas_;
  Index gated_ = 0;
};

// weight Σ P(a head is open), which closes gates of heads that the loss does not need (equation 9).
// Empty if it adds nothing: a weight of 0, or no gates.
PenaltyFunction gate_penalty(const Transformer& transformer, double weight);

// Gives gates their own learning rate.
void scale_gate_rate(const Transformer& transformer, double factor, Optimizer& optimizer);

}}  // namespace tapehead::TAPEHEAD_PRECISION
