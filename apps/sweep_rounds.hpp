// The rounds of a running sweep: its ranks do them together, some a second.
#pragma once

#include "lab/sweep/places.hpp"
#include "lab/sweep/plan.hpp"
#include "lab/sweep/runner.hpp"

namespace tapehead {

// Of the first rank: runs the sweep, and displays it. Returns the signal that stopped it, or 0.
int run_sweep(SweepRunner& runner, SweepPlaces& places, const SweepPlan& plan);

// Of another rank: does what the first one decides, until that one closes the places.
void serve_sweeps(SweepPlaces& places);

}  // namespace tapehead
