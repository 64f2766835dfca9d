// Studying a trained run: further splits, and what its heads do.
#pragma once

#include "core/kernel/workers.hpp"
#include "lab/heads/head_summary.hpp"
#include "lab/run_study.hpp"
#include "train/experiment.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// `split`: the one that the run is tested on, over which the heads are studied. Of `train`, as a
// further split, the first so many examples are taken, and none is written out. Leaves the weights
// as they were. Throws DataError for a split that is not there, ConfigError as HeadGate.
NamedFigures study_run(SavedRun& run, const Task& task, const Split& split, const RunStudy& study,
                       Workers& workers);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
