// Decides which files a resumed training may keep besides its step checkpoints. Invalid files, and
// files of a later step, another model or other data are removed.
#pragma once

#include "core/tape/parameters.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A training that resumes: its step and identity.
struct GoingOn {
  RunFiles files;
  Identity identity;
  Index step = 0;
  Index average_last = 0;  // training.average_last
};

// How good a best checkpoint's weights are, by the training's measure.
struct BestWeights {
  double value = 0;
  double loss = 0;
};

// Removes a best checkpoint that does not belong to the training. Returns how good a kept
// checkpoint is, or `otherwise` if the file lacks this; nullopt if no best checkpoint remains.
std::optional<BestWeights> keep_best(const GoingOn& training, const ParameterStore& store,
                                     const BestWeights& otherwise);
void remove_best(const RunFiles& files);

// Metadata of a file with weights only, and of a best checkpoint.
Metadata weights_metadata(const Identity& identity, Index step);
Metadata best_metadata(const Identity& identity, Index step, const BestWeights& best);

// Removes saved weights and an average that do not belong to the training; all of them if nothing
// is to be averaged. Computes the average again if it does not match the saved weights.
void keep_average(const GoingOn& training, const ParameterStore& store);

// Removes files that describe the run's earlier state: the page, the scores, the failed step.
void remove_reports(const RunFiles& files);

}}  // namespace tapehead::TAPEHEAD_PRECISION
