// Decides which files beside its step checkpoints a resumed training may keep: none of a later step
// than the one it resumes from, of another model or other data, or invalid.
#pragma once

#include "core/tape/parameters.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A training that resumes: from which step, and with which identity.
struct GoingOn {
  RunFiles files;
  Identity identity;
  Index step = 0;
  Index average_last = 0;  // training.average_last
};

// How good the weights of a best checkpoint are, by the measure of the training.
struct BestWeights {
  double value = 0;
  double loss = 0;
};

// Removes a best checkpoint that does not belong to the training. Returns nothing if there is none
// afterwards. For one that does not say how good it is, returns `otherwise`.
std::optional<BestWeights> keep_best(const GoingOn& training, const ParameterStore& store,
                                     const BestWeights& otherwise);
void remove_best(const RunFiles& files);

// The metadata of files with weights only, and of a best checkpoint.
Metadata weights_metadata(const Identity& identity, Index step);
Metadata best_metadata(const Identity& identity, Index step, const BestWeights& best);

// Removes saved weights and an average that do not belong to the training; all of them if nothing
// is to be averaged. Makes the average again if it is not that of the last weights.
void keep_average(const GoingOn& training, const ParameterStore& store);

// Removes what describes the earlier state of the run: the page, the scores, the failed step.
void remove_reports(const RunFiles& files);

}}  // namespace tapehead::TAPEHEAD_PRECISION
