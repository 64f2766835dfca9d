// The plan of a sweep as its directory keeps it, sweep.json: what there is to be done, whoever asks
// later and wherever the sweep file is by then.
#pragma once

#include <filesystem>

#include "lab/sweep/plan.hpp"

namespace tapehead {

// Whether a directory is a sweep's.
bool is_sweep(const std::filesystem::path& directory);

// Throws IoError.
void write_sweep_plan(const std::filesystem::path& directory, const SweepPlan& plan);

// Of each run the config is the one that its directory holds; one that has not begun has the
// defaults. Throws IoError for a plan that is not there or does not hold.
SweepPlan read_sweep_plan(const std::filesystem::path& directory);

}  // namespace tapehead
