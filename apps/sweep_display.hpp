// Runs a sweep and displays it: on a terminal a table of its runs that is rewritten in place,
// otherwise a plain line every few seconds.
#pragma once

#include "lab/sweep/runner.hpp"

namespace tapehead {

// Returns the signal that stopped it, or 0.
int run_sweep(SweepRunner& runner, SweepPlaces& places, const SweepPlan& plan);

// Does what another process decides in run_sweep(), until that one closes the places.
void serve_sweeps(SweepPlaces& places);

}  // namespace tapehead
