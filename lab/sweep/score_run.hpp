// Scoring a trained run: its test, example by example.
#pragma once

#include <filesystem>
#include <string>

#include "core/kernel/workers.hpp"
#include "lab/run_scores.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Tests the checkpoint that a user would get on a split (empty: `test` where there is one, else
// `validation`), with outputs as the config's final test writes them, and studies it. Throws what
// SavedRun and make_task throw, DataError for a split that is not there or has no examples, and
// ConfigError for heads whose importance cannot be told (HeadGate).
RunScores score_run(const std::filesystem::path& run, const std::string& split,
                    const RunStudy& study, Workers& workers);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
