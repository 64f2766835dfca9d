// A sweep file: which options of a config take which values, and with which seeds.
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

}  // namespace tapehead
