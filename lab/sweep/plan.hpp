// A sweep file gives options of a config several values, and seeds. The plan of a sweep has one
// cell for each combination of settings, and the runs of each cell.
#pragma once

#include "lab/run_scores.hpp"
#include "train/config/overrides.hpp"

namespace tapehead {

// One setting of an axis: values of one or more options. Without values: the unchanged config.
struct SweepSetting {
  std::string label;  // the value, or the name in the file for several values
  std::vector<Override> values;
  std::string place;  // "file:line:column: option" of the first value
};

std::string name_of(const SweepSetting& setting);  // as in the file, for messages

struct SweepAxis {
  std::string name;  // the option's name, or the file's name for several options
  std::vector<SweepSetting> settings;
};

// A name in the file, with its place "file:line:column: entry" for messages.
struct PlacedName {
  std::string name;
  std::string place;
};

// A question that the page answers from a few settings of the sweep's only axis.
struct SweepChapter {
  std::string question{};
  std::string look{};                 // what to look at
  std::vector<PlacedName> points{};   // settings; the first is what the others are compared with
  std::vector<PlacedName> figures{};  // of a plan: not empty
  std::string maps{};                 // encoder_self, decoder_self or cross; empty: all attentions
  std::string deeper{};               // a command
};

struct SweepFile {
  fs::path config;
  std::vector<Override> fixed;  // `set`
  std::vector<SweepAxis> axes;
  std::vector<Override> seeds;   // values of the option `seed`; empty: the config's seed
  std::optional<Metric> metric;  // absent: the config's metric
  std::string metric_place;      // "file:line:column: metric"
  PlacedName split;              // empty: test if that split exists, else validation
  std::vector<PlacedName> further_splits;
  RunStudy study;                // except the further splits
  std::vector<PlacedName> show;  // figures to show beside the metric
  std::vector<SweepChapter> chapters;
};

// Reads a sweep, YAML or JSON; docs/sweeps.md has the format. Options and their values are not
// checked yet. `root`: where the config's path begins, by default the working directory. Throws
// ConfigError "file:line:column: ...".
SweepFile read_sweep(const fs::path& file, const fs::path& root = {});
SweepFile parse_sweep(std::string_view text, std::string_view file, const fs::path& root = {});

std::optional<Metric> metric_named(std::string_view name);

// Puts values into `set`, replacing values of the same options. A seed replaces all seeds.
void override_fixed(SweepFile& sweep, const std::vector<Override>& values);

using SweepCell = std::vector<std::string>;  // the label of the setting on each axis

struct SweepRun {
  std::size_t cell;
  std::string name;                      // its directory's name: "model.heads=2,seed=1"
  std::vector<std::string> overrides;    // as for `--set`
  Config config{};                       // with all overrides, resolved
  std::vector<fs::path> config_files{};  // as LoadedConfig::files
  // "file:line:column: option" for each option that the sweep file or the config sets.
  std::map<std::string, std::string> places{};
};

struct SweepPlan {
  fs::path config;
  std::vector<std::string> axes{};
  std::vector<SweepCell> cells{};  // the last axis changes fastest
  std::vector<SweepRun> runs{};    // all cells with the first seed, then all cells with the next
  Metric metric{};
  std::string split;  // as SweepFile::split
  RunStudy study{};
  std::vector<std::string> show{};  // as SweepFile::show
  std::vector<SweepChapter> chapters{};
  std::vector<std::string> notes{};  // about options of `set` that an axis changes
};

// Reads the config once for each run, so every option and every combination is checked before a run
// starts. Throws ConfigError with the place in the sweep file or the config.
SweepPlan plan_sweep(const SweepFile& sweep);

}  // namespace tapehead
