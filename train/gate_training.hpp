// How gates on heads are trained (Voita et al. 2019, section 5.2).
#pragma once

#include "nn/open_heads.hpp"
#include "train/trainer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// weight Σ P(a head is open), which drives gates to close where the loss does not need the head
// (equation 9). Empty where it adds nothing: a weight of 0, or no gates.
PenaltyFunction gate_penalty(const Transformer& transformer, double weight);

// Gives gates their own learning rate.
void scale_gate_rate(const Transformer& transformer, double factor, Optimizer& optimizer);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
