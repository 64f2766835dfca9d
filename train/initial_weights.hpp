// The weights that a training starts from when `model.init_from` names another run.
#pragma once

#include "core/parameters.hpp"
#include "datasets/task.hpp"
#include "train/options.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Loads the best weights of the run, else the average or the last. Throws IoError when they are not
// there, and when the run's model is not this one in all but dropout and initialisation.
void load_initial_weights(const Config& config, ParameterStore& store);

// The same without keeping them; nothing where the config starts from no run.
void check_initial_weights(const Config& config, const Task& task);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
