// The rounds of a running sweep, some a second.
#pragma once

#include "lab/sweep/places.hpp"
#include "lab/sweep/plan.hpp"
#include "lab/sweep/runner.hpp"

namespace tapehead {

// Runs the sweep, and displays it. Returns the signal that stopped it, or 0.
int run_sweep(SweepRunner& runner, SweepPlaces& places, const SweepPlan& plan);

// Does what another process decides in run_sweep(), until that one closes the places.
void serve_sweeps(SweepPlaces& places);

}  // namespace tapehead
