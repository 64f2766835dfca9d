// The plan of a sweep: its cells, one for each combination of settings, and the runs of each cell.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lab/sweep/file.hpp"

namespace tapehead {

struct SweepCell {
  std::vector<std::string> labels;  // of the setting on each axis
};

struct SweepRun {
  std::size_t cell;
  std::string name;                                   // of its directory: "model.heads=2,seed=1"
  std::vector<std::string> overrides;                 // as for `--set`
  Config config;                                      // with all overrides, resolved
  std::vector<std::filesystem::path> config_files{};  // as LoadedConfig::files
  // "file:line:column: option" for each option that is set, in the sweep file or the config.
  std::map<std::string, std::string> places{};
};

struct SweepPlan {
  std::filesystem::path config;
  std::vector<std::string> axes;
  std::vector<SweepCell> cells;  // the last axis changes fastest
  std::vector<SweepRun> runs;    // all cells with the first seed, then all with the next
  Metric metric;
  std::string split;  // as SweepFile::split
  RunStudy study{};
  std::vector<std::string> show{};  // as SweepFile::show
};

}  // namespace tapehead
