// The plan of a sweep as its directory stores it, in sweep.json. It tells later commands what the
// sweep contains, even if the sweep file has been moved.
#pragma once

#include <filesystem>

#include "lab/sweep/plan.hpp"

namespace tapehead {

// Whether a directory is a sweep's.
bool is_sweep(const std::filesystem::path& directory);

// Throws IoError.
void write_sweep_plan(const std::filesystem::path& directory, const SweepPlan& plan);

// The config of each run is the one in the run's directory, or the defaults if the run has not
// started. Throws IoError for a plan that does not exist or is invalid.
SweepPlan read_sweep_plan(const std::filesystem::path& directory);

}  // namespace tapehead
