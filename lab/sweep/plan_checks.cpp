// Finds mistakes of a sweep before any of its runs is trained.
#include "lab/sweep/plan.hpp"

#include "core/shown.hpp"
#include "core/text.hpp"
#include "datasets/task_kind.hpp"
#include "train/config/config.hpp"
#include "train/config/overrides.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

constexpr std::size_t longest_name = 200;  // bytes; file systems take 255

void expect_good_names(const SweepPlan& plan) {
  std::set<std::string> known;
  for (const SweepRun& run : plan.runs) {
    const bool twice = !known.insert(run.name).second;
    if (twice || run.name.size() > longest_name) {
      throw ConfigError(fmt::format(
          "the directory {} would be {}: give the axis' settings short names of their own, as "
          "`size: {{small: {{model.d_model: 32}}, large: {{model.d_model: 64}}}}`",
          shown(run.name), twice ? "that of two runs" : "too long a name"));
    }
  }
}

void expect_splits(const SweepFile& sweep, const SweepPlan& plan) {
  std::vector<PlacedName> wanted = sweep.further_splits;
  if (!sweep.split.name.empty()) {
    wanted.push_back(sweep.split);
  }
  for (const SweepRun& run : plan.runs) {
    const std::vector<std::string> known = run.config.task.kind().splits(run.config.task);
    for (const PlacedName& split : wanted) {
      if (std::ranges::find(known, split.name) == known.end()) {
        throw ConfigError(fmt::format("{}: {} has no split {}; it has {}", split.place, run.name,
                                      shown(split.name), join(known, ", ")));
      }
    }
  }
}

std::vector<std::string_view> measured_metrics(const Config& config) {
  std::vector<std::string_view> names;
  for (const MetricKind* kind : metric_kinds) {
    if (is_measured(*kind, config)) {
      names.push_back(kind->name);
    }
  }
  return names;
}

// Whether a run writes outputs while it is trained does not matter: its test does in any case.
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

// The configs that a setting of an axis makes with one seed, in the order of the other axes.
std::vector<std::string> configs_of(const SweepPlan& plan, std::size_t axis,
                                    const std::string& label) {
  std::vector<std::string> configs;
  for (std::size_t run = 0; run < plan.cells.size(); ++run) {
    if (plan.cells[plan.runs[run].cell][axis] == label) {
      configs.push_back(dump_config(plan.runs[run].config));
    }
  }
  return configs;
}

// Settings of an axis that make the same configs, however they are written, would be trained twice.
void expect_different_settings(const SweepFile& sweep, const SweepPlan& plan) {
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    std::map<std::vector<std::string>, std::string> names;
    for (const SweepSetting& setting : sweep.axes[axis].settings) {
      const auto [known, added] =
          names.try_emplace(configs_of(plan, axis, setting.label), name_of(setting));
      if (!added) {
        throw ConfigError(fmt::format("{}: {} makes the same configs as {}; leave one of them out",
                                      setting.place, name_of(setting), known->second));
      }
    }
  }
}

}  // namespace

std::vector<std::string> expect_separate(const SweepFile& sweep) {
  std::map<std::string, std::string> owners;
  std::set<std::string> in_set;
  for (const Override& value : sweep.fixed) {
    if (value.place.starts_with("--set")) {
      owners[full_name(value)] = value.name_place;
    } else {
      in_set.insert(full_name(value));
    }
  }
  std::vector<std::string> notes;
  for (const SweepAxis& axis : sweep.axes) {
    std::map<std::string, std::size_t> own;  // how many settings have the option
    for (const SweepSetting& setting : axis.settings) {
      for (const Override& value : setting.values) {
        const std::string option = full_name(value);
        if (const auto owner = owners.find(option); owner != owners.end()) {
          throw ConfigError(fmt::format("{}: already set by {}", value.name_place, owner->second));
        }
        if (++own[option] == axis.settings.size() && in_set.contains(option)) {
          throw ConfigError(fmt::format(
              "{}: every setting of the axis has this option, so its value in `set` has no effect",
              value.name_place));
        }
      }
    }
    for (const auto& [option, settings] : own) {
      owners[option] = "the axis " + shown(axis.name);
      if (in_set.contains(option)) {
        notes.push_back(fmt::format(
            "the axis {} changes {}; where a setting does not have this option, the value in `set` "
            "counts",
            shown(axis.name), shown(option)));
      }
    }
  }
  return notes;
}

void expect_sound(const SweepFile& sweep, const SweepPlan& plan) {
  expect_good_names(plan);
  expect_different_settings(sweep, plan);
  expect_splits(sweep, plan);
  expect_measured(sweep, plan);
}

}  // namespace tapehead
