// What a training that goes on may keep of the files beside its step checkpoints. A file of a later
// step than the one it goes on from, of another model or other data, or one that does not hold, is
// none of its own.
#pragma once

#include <optional>

#include "core/tape/parameters.hpp"
#include "train/run/files.hpp"
#include "train/run/identity.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Where a training goes on, and as what.
struct GoingOn {
  RunFiles files;
  Identity identity;
  Index step = 0;
  Index average_last = 0;  // training.average_last
};

// How good the weights of a best checkpoint are, by the training's measure.
struct BestWeights {
  double value = 0;
  double loss = 0;
};

// Removes a best checkpoint that is none of the training's. Nothing where there is none then; of
// one that does not say how good it is, `otherwise`.
std::optional<BestWeights> keep_best(const GoingOn& training, const ParameterStore& store,
                                     const BestWeights& otherwise);
void remove_best(const RunFiles& files);
Metadata best_metadata(const Identity& identity, Index step, const BestWeights& best);

// Removes weights and an average that are none of the training's, all where nothing is to be
// averaged, and makes the average anew where it is not that of the last weights. The store's own
// weights come back.
void keep_average(const GoingOn& training, ParameterStore& store);

// Removes what tells of the run as it was: the page, the scores, and the step that failed.
void remove_reports(const RunFiles& files);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
