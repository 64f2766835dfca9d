// The plan of a sweep: its cells, one for each combination of settings, and the runs of each cell.
#pragma once

#include "lab/sweep/file.hpp"

namespace tapehead {

using SweepCell = std::vector<std::string>;  // the label of the setting on each axis

struct SweepRun {
  std::size_t cell;
  std::string name;                                   // of its directory: "model.heads=2,seed=1"
  std::vector<std::string> overrides;                 // as for `--set`
  Config config{};                                    // with all overrides, resolved
  std::vector<std::filesystem::path> config_files{};  // as LoadedConfig::files
  // "file:line:column: option" for each option that is set, in the sweep file or the config.
  std::map<std::string, std::string> places{};
};

struct SweepPlan {
  std::filesystem::path config;
  std::vector<std::string> axes{};
  std::vector<SweepCell> cells{};  // the last axis changes fastest
  std::vector<SweepRun> runs{};    // all cells with the first seed, then all with the next
  Metric metric{};
  std::string split;  // as SweepFile::split
  RunStudy study{};
  std::vector<std::string> show{};   // as SweepFile::show
  std::vector<std::string> notes{};  // of options of `set` that an axis changes
};

// Reads the config once for each run, so that every option and every combination is checked before
// anything starts. Throws ConfigError with the place in the sweep file or the config.
SweepPlan plan_sweep(const SweepFile& sweep);

// What plan_sweep() checks.

// Throws ConfigError if two axes, or an axis and the command line, set the same option, or if every
// setting of an axis has an option of `set`: one value would have no effect. Returns a note about
// each option that only some settings have: the value in `set` is that of the others.
std::vector<std::string> expect_separate(const SweepFile& sweep);

// Throws ConfigError if runs have no directories of their own, if settings of an axis make the same
// configs, or if a run has no such split or does not measure the metric. The plan must be complete.
void expect_sound(const SweepFile& sweep, const SweepPlan& plan);

// The plan as the directory of a sweep stores it, in sweep.json, for later commands.

// Whether a directory is a sweep's.
bool is_sweep(const std::filesystem::path& directory);

// Throws IoError.
void write_sweep_plan(const std::filesystem::path& directory, const SweepPlan& plan);

// The config of each run is the one in the run's directory, or the defaults if the run has not
// started. Throws IoError for a plan that does not exist or is invalid.
SweepPlan read_sweep_plan(const std::filesystem::path& directory);

}  // namespace tapehead
