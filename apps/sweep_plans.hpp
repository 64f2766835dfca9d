// Sweeps to be done one after the other, planned before any of them begins.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/sweep/file.hpp"
#include "lab/sweep/places.hpp"
#include "lab/sweep/plan.hpp"
#include "lab/sweep/runner.hpp"

namespace tapehead {

// Runs the sweep, and displays it. Returns the signal that stopped it, or 0.
int run_sweep(SweepRunner& runner, SweepPlaces& places, const SweepPlan& plan);

// Does what another process decides in run_sweep(), until that one closes the places.
void serve_sweeps(SweepPlaces& places);

// What a user asks for.
struct SweepRequest {
  std::vector<std::filesystem::path> files;
  std::filesystem::path run;  // for one sweep its directory, for several what contains theirs
  std::vector<std::string> overrides;  // "section.option=value"

  // Of the runs and results of one of the files.
  std::filesystem::path directory_of(const std::filesystem::path& file) const;
};

struct PlannedSweep {
  SweepFile file;
  SweepPlan plan;
  std::filesystem::path directory;
};

// Reads and checks all of them. Throws ConfigError for a mistake in a file, for runs that could not
// begin and for sweeps that would write into the same directory; IoError if a sweep would write
// over a file that it reads.
std::vector<PlannedSweep> plan_sweeps(const SweepRequest& request);

}  // namespace tapehead
