// Scores a trained run, example by example.
#pragma once

#include "core/kernel/workers.hpp"
#include "lab/run_scores.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Tests the run's default checkpoint on a split and studies the run. An empty `split` means `test`
// if it exists, otherwise `validation`. Generates outputs like the config's final test. Throws what
// SavedRun, make_task and HeadGate throw; DataError for a split that does not exist or is empty.
RunScores score_run(const fs::path& run, const std::string& split, const RunStudy& study,
                    Workers& workers);

}}  // namespace tapehead::TAPEHEAD_PRECISION
