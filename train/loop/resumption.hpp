// Resumption: where a training goes on, and what of its directory still belongs to it.
#pragma once

#include <optional>

#include "datasets/task.hpp"
#include "train/experiment.hpp"
#include "train/loop/run_writer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Loads the newest step checkpoint that can be gone on from, with a warning for each that cannot,
// and gives its place; the beginning where there is no checkpoint at all. Throws IoError where
// there are some and none fits.
TrainingPosition restore_training(const Config& config, const Task& task, const RunWriter& writer,
                                  ParameterStore& store, Optimizer& optimizer);

// What is left from the run's past and does not belong to what it is now goes: a best by another
// measure or of a later step, an average that is not to be made any more. Returns what the best
// checkpoint holds, where there is one of the training's own.
std::optional<BestWeights> keep_weights_of_run(const Config& config, const RunWriter& writer,
                                               ParameterStore& store, TrainingPosition& position);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
