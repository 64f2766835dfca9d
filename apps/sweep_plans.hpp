// Sweeps to be done one after the other, planned before any of them begins.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/sweep/file.hpp"
#include "lab/sweep/plan.hpp"

namespace tapehead {

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
