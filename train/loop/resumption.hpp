// Resumption: from which step a training continues, and which files of its directory still belong
// to it.
#pragma once

#include <optional>

#include "datasets/task.hpp"
#include "train/experiment.hpp"
#include "train/loop/run_writer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Loads the newest step checkpoint from which the training can continue, warns about each one that
// is unusable, and returns its position; if there are no checkpoints, the start. Throws IoError if
// there are some but none is usable, or if the start would replace weights that it does not make
// again. Of several ranks, rank 0 loads it and gives it to the others.
TrainingPosition restore_training(const Config& config, const Task& task, const RunWriter& writer,
                                  const TrainingState& state, Ranks& ranks);

// Removes files of the run that no longer belong to it: a best checkpoint by another measure or of
// a later step, and an average that is no longer wanted. Writes the best checkpoint again if there
// is none and the restored weights are the best so far. Returns how good the best checkpoint is, if
// there is one afterwards.
std::optional<BestWeights> keep_weights_of_run(const Config& config, RunWriter& writer,
                                               ParameterStore& store, TrainingPosition& position);

}}  // namespace tapehead::TAPEHEAD_PRECISION
