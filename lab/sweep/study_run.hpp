// Studies a trained run: tests further splits, and examines its heads.
#pragma once

#include "core/kernel/workers.hpp"
#include "lab/heads/head_summary.hpp"
#include "lab/run_scores.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// `split`: the split on which the run is tested; the heads are studied on it. If `train` is a
// further split, only its first examples are used, as many as `split` has, and no outputs are
// generated. The weights are unchanged afterwards. Throws DataError for a split that does not
// exist, ConfigError as HeadGate does.
NamedFigures study_run(SavedRun& run, const Task& task, const Split& split, const RunStudy& study,
                       Workers& workers);

}}  // namespace tapehead::TAPEHEAD_PRECISION
