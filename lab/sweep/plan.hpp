// A sweep: its file, which says which options of a config take which values, and with which seeds;
// and its plan: the cells, one for each combination of settings, and the runs of each cell.
#pragma once

#include "lab/run_scores.hpp"
#include "train/config/overrides.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// One setting of an axis: values of one or several options, or none: the config as it is.
struct SweepSetting {
  std::string label;  // the value itself, or the file's name for several values
  std::vector<Override> values;
  std::string place;  // "file:line:column: option" of the first value
};

std::string name_of(const SweepSetting& setting);  // as in the file, for messages

struct SweepAxis {
  std::string name;  // of the option, or the name for several options
  std::vector<SweepSetting> settings;
};

// A name in the file, and "file:line:column: entry" for messages about it.
struct PlacedName {
  std::string name;
  std::string place;
};

struct SweepFile {
  std::filesystem::path config;
  std::vector<Override> fixed;  // `set`
  std::vector<SweepAxis> axes;
  std::vector<Override> seeds;   // values of the option `seed`; none: the config's
  std::optional<Metric> metric;  // none: the config's
  std::string metric_place;      // "file:line:column: metric"
  PlacedName split;              // empty: test if there is one, else validation
  std::vector<PlacedName> further_splits;
  RunStudy study;                // without the further splits
  std::vector<PlacedName> show;  // figures to show beside the metric
};

// Reads a sweep, YAML or JSON:
//
//   config: configs/copy.yaml          # from the working directory
//   set: {training.steps: 300}         # in all runs
//   seeds: 3                           # 1 2 3; or a list
//   axes:
//     model.heads: [1, 2, 4]           # an option takes each value
//     size:                            # several options move together
//       usual: {}                      # as it is
//       narrow: {model.d_model: 32, model.d_ff: 128}
//       wide: {model.d_model: 64, model.d_ff: 256}
//   metric: sequence_accuracy
//   split: test
//   further_splits: [train]
//   heads: [figures, importance, pruning]
//   show: [cross.entropy]
//
// Names of options and their values are not checked yet. Throws ConfigError "file:line:column:
// ...".
SweepFile read_sweep(const std::filesystem::path& file);
SweepFile parse_sweep(std::string_view text, std::string_view file);

std::optional<Metric> metric_named(std::string_view name);

// Puts values into `set`, in place of others of the same options. A seed replaces all seeds.
void override_fixed(SweepFile& sweep, const std::vector<Override>& values);

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

}  // namespace tapehead
