// Runs a sweep and displays it: on a terminal as a table that is rewritten in place, otherwise as a
// plain line every few seconds.
#pragma once

#include "lab/sweep/results.hpp"
#include "lab/sweep/runner.hpp"

namespace tapehead {

// Returns the signal that stopped the sweep, or 0.
int run_sweep(SweepRunner& runner, SweepPlaces& places, const SweepPlan& plan);

// Carries out the orders of run_sweep() until the places are closed.
void serve_sweeps(SweepPlaces& places);

// Prints the results, which are already in files. Returns false if writing fails, because nobody
// reads the output: the next sweep still runs.
bool show_results(const SweepPlan& plan, const SweepResults& results, const fs::path& directory,
                  bool as_json);

// Reports the runs that failed, with the last lines of their logs.
void say_failures(SweepRunner& runner, const SweepPlaces& places);

}  // namespace tapehead
