// Resumption: from which step a training continues, and which files still belong to it.
#pragma once

#include "datasets/task.hpp"
#include "train/loop/run_sink.hpp"
#include "train/run/checkpoints.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Loads the newest step checkpoint from which the training can continue, and warns about unusable
// ones. `position`: the start; afterwards that of the checkpoint, if there is one. Throws IoError
// if none of some is usable, or if the start would replace weights that it does not make again.
std::optional<TensorFile> restore_training(const Config& config, const Task& task,
                                           const RunFiles& files, const Identity& identity,
                                           const Checkpoints& checkpoints,
                                           const TrainingState& state, TrainingPosition& position);

// Removes files of the run that no longer belong to it: a best checkpoint by another measure or of
// a later step, and an average that is no longer wanted. Writes the best checkpoint again if there
// is none and the restored weights are the best so far. Returns how good the best checkpoint is, if
// there is one afterwards.
std::optional<BestWeights> keep_weights_of_run(const Config& config, RunSink& sink,
                                               const Identity& identity, ParameterStore& store,
                                               TrainingPosition& position);

}}  // namespace tapehead::TAPEHEAD_PRECISION
