// Makes the plan of a sweep.
#pragma once

#include "lab/sweep/file.hpp"
#include "lab/sweep/plan.hpp"

namespace tapehead {

// Reads the config once for each run, so that every option and every combination is checked before
// anything starts. Throws ConfigError with the place in the sweep file or the config.
SweepPlan plan_sweep(const SweepFile& sweep);

}  // namespace tapehead
