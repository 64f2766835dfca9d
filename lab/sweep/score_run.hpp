// Scores a trained run: tests it example by example.
#pragma once

#include "core/kernel/workers.hpp"
#include "lab/run_scores.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Tests the run's default checkpoint on a split (empty: `test` if there is one, otherwise
// `validation`), with outputs as in the config's final test, and studies it. Throws what SavedRun,
// make_task and HeadGate throw, and DataError for a split that does not exist or is empty.
RunScores score_run(const std::filesystem::path& run, const std::string& split,
                    const RunStudy& study, Workers& workers);

}}  // namespace tapehead::TAPEHEAD_PRECISION
