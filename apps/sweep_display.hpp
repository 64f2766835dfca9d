// Runs a sweep and displays it: on a terminal a table of its runs that is rewritten in place,
// otherwise a plain line every few seconds.
#pragma once

#include "lab/sweep/results.hpp"
#include "lab/sweep/runner.hpp"

namespace tapehead {

// Returns the signal that stopped it, or 0.
int run_sweep(SweepRunner& runner, SweepPlaces& places, const SweepPlan& plan);

// Does what another process decides in run_sweep(), until that one closes the places.
void serve_sweeps(SweepPlaces& places);

// Prints the results, which are in their files already. Returns false if nobody reads them: the
// next sweep still runs.
bool show_results(const SweepPlan& plan, const SweepResults& results,
                  const std::filesystem::path& directory, bool as_json);

// Which runs failed, and the last lines that each of them printed.
void say_failures(SweepRunner& runner, const SweepPlaces& places);

}  // namespace tapehead
