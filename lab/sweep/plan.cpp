#include "lab/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "core/text.hpp"
#include "datasets/task_kind.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

constexpr std::size_t longest_name = 200;  // bytes; file systems take 255

std::string option_of(const Override& value) { return full_name(value.section, value.option); }

// Throws if two axes, or an axis and `set`, set the same option, since one of them would have no
// effect.
void expect_separate(const SweepFile& sweep) {
  std::map<std::string, std::string> owners;
  for (const Override& value : sweep.fixed) {
    const bool outside = value.place.starts_with("--set");
    owners[option_of(value)] = outside ? value.name_place : "`set`";
  }
  for (const SweepAxis& axis : sweep.axes) {
    std::set<std::string> own;
    for (const SweepSetting& setting : axis.settings) {
      for (const Override& value : setting.values) {
        const auto owner = owners.find(option_of(value));
        if (owner != owners.end()) {
          throw ConfigError(fmt::format("{}: already set by {}", value.name_place, owner->second));
        }
        own.insert(option_of(value));
      }
    }
    for (const std::string& option : own) {
      owners[option] = "the axis " + shown(axis.name);
    }
  }
}

using Combination = std::vector<const SweepSetting*>;

std::vector<Combination> combinations(const std::vector<SweepAxis>& axes) {
  std::vector<Combination> all{{}};
  for (const SweepAxis& axis : axes) {
    std::vector<Combination> longer;
    for (const Combination& beginning : all) {
      for (const SweepSetting& setting : axis.settings) {
        longer.push_back(beginning);
        longer.back().push_back(&setting);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// The values of a list, joined by +, and by - in lists inside it: "full-window 2+full".
std::string without_brackets(std::string_view label) {
  if (!label.starts_with('[')) {
    return std::string(label);
  }
  std::string text;
  int depth = 0;
  for (const char c : label) {
    if (c == '[' || c == ']') {
      depth += c == '[' ? 1 : -1;
    } else if (c == ',') {
      text += depth == 1 ? '+' : '-';
    } else if (c != ' ' || (text.back() != '+' && text.back() != '-')) {
      text += c;
    }
  }
  return text;
}

// Labels may contain anything; file names should need no quotes in a shell.
std::string file_name(std::string text) {
  static constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=,+-";
  std::ranges::replace_if(
      text, [](char c) { return plain.find(c) == std::string_view::npos; }, '_');
  return text;
}

std::string run_name(const SweepPlan& plan, const SweepCell& cell, std::uint64_t seed) {
  std::string name;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    name += fmt::format("{}={},", plan.axes[i], without_brackets(cell.labels[i]));
  }
  return file_name(name + fmt::format("seed={}", seed));
}

void expect_good_names(const std::vector<SweepRun>& runs) {
  std::set<std::string> known;
  for (const SweepRun& run : runs) {
    const bool twice = !known.insert(run.name).second;
    if (twice || run.name.size() > longest_name) {
      throw ConfigError(fmt::format(
          "the directory {} would be {}: give the axis' settings short names of their own, as "
          "`size: {{small: {{model.d_model: 32}}, large: {{model.d_model: 64}}}}`",
          shown(run.name), twice ? "that of two runs" : "too long a name"));
    }
  }
}

// Checks the splits in every run's task, before any of them is trained.
void expect_splits(const SweepFile& sweep, const std::vector<SweepRun>& runs) {
  std::vector<PlacedName> wanted = sweep.further_splits;
  if (!sweep.split.name.empty()) {
    wanted.push_back(sweep.split);
  }
  for (const SweepRun& run : runs) {
    const std::vector<std::string> known = run.config.task.kind().splits(run.config.task);
    for (const PlacedName& split : wanted) {
      if (std::ranges::find(known, split.name) == known.end()) {
        throw ConfigError(fmt::format("{}: {} has no split {}; it has {}", split.place, run.name,
                                      shown(split.name), join(known, ", ")));
      }
    }
  }
}

// A masked language model predicts only some tokens of a text.
std::vector<std::string_view> measured_metrics(const Config& config) {
  const bool masked = application_of(config) == Application::fill;
  std::vector<std::string_view> names;
  for (const MetricKind* kind : metric_kinds) {
    if (is_measured(*kind, config.task.kind().examples) && !(kind->of_text && masked)) {
      names.push_back(kind->name);
    }
  }
  return names;
}

// Throws if a run's test does not measure what the cells are compared by. Whether the run writes
// outputs while it is trained does not matter, since its test writes them in any case.
void expect_measured(const SweepFile& sweep, const SweepPlan& plan) {
  const std::string_view metric = kind_of(plan.metric).name;
  const std::string place =
      sweep.metric ? sweep.metric_place
                   : fmt::format("{}: evaluation.metric", shown(sweep.config.string()));
  for (const SweepRun& run : plan.runs) {
    const std::vector<std::string_view> measured = measured_metrics(run.config);
    if (std::ranges::find(measured, metric) == measured.end()) {
      throw ConfigError(fmt::format("{}: {} is not measured in {} (allowed: {})", place, metric,
                                    run.name, join(measured, ", ")));
    }
  }
}

// The value as its option writes it: 0.001 for 1e-3. The config has the option's task.
std::string value_as_written(const Override& value, Config config) {
  for (const Section& section : sections(config)) {
    for (const Row& row : section.rows) {
      if (section.name == value.section && row.field.name == value.option) {
        read_value(row, value.value);
        return write_value(row);
      }
    }
  }
  return value.text;
}

std::map<std::string, std::string> values_as_written(const SweepSetting& setting,
                                                     const Config& config) {
  std::map<std::string, std::string> values;
  for (const Override& value : setting.values) {
    values[option_of(value)] = value_as_written(value, config);
  }
  return values;
}

// Throws if two settings of an axis are the same, however they are written: they would be one cell,
// trained twice. `all`: the combinations of the first runs.
void expect_different_settings(const SweepFile& sweep, const std::vector<Combination>& all,
                               const std::vector<SweepRun>& runs) {
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    std::map<std::map<std::string, std::string>, std::string> labels;
    for (const SweepSetting& setting : sweep.axes[axis].settings) {
      const auto with_it = std::ranges::find_if(
          all, [&](const Combination& combination) { return combination[axis] == &setting; });
      const Config& config = runs[static_cast<std::size_t>(with_it - all.begin())].config;
      const auto [known, added] =
          labels.try_emplace(values_as_written(setting, config), setting.label);
      if (!added) {
        throw ConfigError(fmt::format("{}: {} is the same as {}; leave one of them out",
                                      setting.values.front().place, shown(setting.label),
                                      shown(known->second)));
      }
    }
  }
}

std::map<std::string, std::string> places_of(const LoadedConfig& loaded,
                                             const std::vector<Override>& values) {
  std::map<std::string, std::string> places;
  for (const auto& [option, origin] : loaded.origins) {
    if (origin != "default" && origin != "auto") {
      places[option] = fmt::format("{}: {}", origin, option);
    }
  }
  for (const Override& value : values) {
    places[option_of(value)] = value.place;
  }
  return places;
}

SweepRun make_run(const SweepFile& sweep, const Combination& settings, const Override* seed) {
  std::vector<Override> values = sweep.fixed;
  for (const SweepSetting* setting : settings) {
    values.insert(values.end(), setting->values.begin(), setting->values.end());
  }
  if (seed != nullptr) {
    values.push_back(*seed);
  }
  SweepRun run{};
  for (const Override& value : values) {
    run.overrides.push_back(fmt::format("{}={}", option_of(value), value.text));
  }
  LoadedConfig loaded = load_with_overrides(sweep.config, values);
  run.places = places_of(loaded, values);
  run.config = std::move(loaded.config);
  run.config_files = std::move(loaded.files);
  return run;
}

}  // namespace

SweepPlan plan_sweep(const SweepFile& sweep) {
  expect_separate(sweep);
  SweepPlan plan{.config = sweep.config,
                 .axes = {},
                 .cells = {},
                 .runs = {},
                 .metric = {},
                 .split = sweep.split.name,
                 .study = sweep.study};
  for (const PlacedName& split : sweep.further_splits) {
    plan.study.further_splits.push_back(split.name);
  }
  for (const PlacedName& figure : sweep.show) {
    plan.show.push_back(figure.name);
  }
  for (const SweepAxis& axis : sweep.axes) {
    plan.axes.push_back(axis.name);
  }
  const std::vector<Combination> all = combinations(sweep.axes);
  for (const Combination& settings : all) {
    SweepCell& cell = plan.cells.emplace_back();
    for (const SweepSetting* setting : settings) {
      cell.labels.push_back(setting->label);
    }
  }
  for (std::size_t seed = 0; seed < std::max<std::size_t>(1, sweep.seeds.size()); ++seed) {
    for (std::size_t cell = 0; cell < all.size(); ++cell) {
      SweepRun run = make_run(sweep, all[cell], sweep.seeds.empty() ? nullptr : &sweep.seeds[seed]);
      run.cell = cell;
      run.name = run_name(plan, plan.cells[cell], run.config.seed);
      plan.runs.push_back(std::move(run));
    }
  }
  expect_good_names(plan.runs);
  expect_different_settings(sweep, all, plan.runs);
  expect_splits(sweep, plan.runs);
  plan.metric = sweep.metric.value_or(plan.runs.front().config.evaluation.metric);
  expect_measured(sweep, plan);
  return plan;
}

}  // namespace tapehead
