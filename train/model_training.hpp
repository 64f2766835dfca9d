// How the model of a config is trained, for all places that need it: a training, its rehearsal, the
// replay of a step, a gradient check and a measurement.
#pragma once

#include <optional>
#include <string>

#include "core/scalar.hpp"
#include "nn/lane_memory.hpp"
#include "train/config/config.hpp"
#include "train/experiment.hpp"
#include "train/step/trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The loss of a batch. The model must outlive the function.
LossFunction training_loss(const Model& model, const Config& config);

// A penalty on the weights themselves; empty: none.
PenaltyFunction training_penalty(const Model& model, const Config& config);

// The memory of a training; nothing if it has none.
std::optional<LaneMemory::Size> memory_size(const Config& config);

// With this penalty and this memory, and with separate learning rates for the parameters that have
// them. `total_steps`: see Trainer::Options.
Trainer trainer_of(Model& model, const Config& config, const Team& team, Index total_steps = 0);

// Whether the option training.freeze fits the parameters of its model.

// Throws ConfigError with the place of the option if one of its patterns matches no parameter, with
// the names that come nearest, or if nothing is left to train.
void check_frozen(const LoadedConfig& loaded);

// The same for a resolved config, with another place: "file:line:column: training.freeze".
void check_frozen(const Config& config, const std::string& place);

}}  // namespace tapehead::TAPEHEAD_PRECISION
