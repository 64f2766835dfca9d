// How a model is trained as its config says, wherever that is done: in a training, its rehearsal,
// the replay of a step, a gradient check and a measurement.
#pragma once

#include "train/experiment.hpp"
#include "train/step/trainer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The loss of a batch. The model must outlive it.
LossFunction training_loss(const Model& model, const Config& config);

// What the weights cost by themselves; empty: nothing.
PenaltyFunction training_penalty(const Model& model, const Config& config);

// With that penalty, and with rates of their own where parameters have them. `total_steps`: see
// Trainer::Options.
Trainer trainer_of(Model& model, const Config& config, Workers& workers, Index total_steps = 0);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
