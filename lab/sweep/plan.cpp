// Makes the plan of a sweep and reports mistakes before any run is trained.
#include "lab/sweep/plan.hpp"

#include "core/text.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

constexpr std::size_t longest_name = 200;  // bytes; file systems allow 255

void expect_good_names(const SweepPlan& plan) {
  std::set<std::string> known;
  for (const SweepRun& run : plan.runs) {
    const bool twice = !known.insert(run.name).second;
    if (twice || run.name.size() > longest_name) {
      throw ConfigError(
          "the directory {} {}: give the axis' settings short names of their own, as `size: "
          "{{small: {{model.d_model: 32}}, large: {{model.d_model: 64}}}}`",
          shown(run.name), twice ? "would belong to two runs" : "has too long a name");
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
      if (std::ranges::count(known, split.name) == 0) {
        throw ConfigError("{}: {} has no split {}; it has {}", split.place, run.name,
                          shown(split.name), join(known, ", "));
      }
    }
  }
}

// A run need not generate outputs during its training, because its test does so in any case.
void expect_measured(const SweepFile& sweep, const SweepPlan& plan) {
  const std::string_view metric = kind_of(plan.metric).name;
  const std::string place =
      sweep.metric ? sweep.metric_place
                   : fmt::format("{}: evaluation.metric", shown(sweep.config.string()));
  for (const SweepRun& run : plan.runs) {
    const auto own = [&](const MetricKind* kind) { return is_measured(*kind, run.config); };
    const auto measured = mapped(metric_kinds | std::views::filter(own), &MetricKind::name);
    if (std::ranges::count(measured, metric) == 0) {
      throw ConfigError("{}: {} is not measured in {} (allowed: {})", place, metric, run.name,
                        join(measured, ", "));
    }
  }
}

// Settings with the same configs, however they are written, would be trained twice.
void expect_different_settings(const SweepFile& sweep, const SweepPlan& plan) {
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    std::map<std::vector<std::string>, std::string> names;
    for (const SweepSetting& setting : sweep.axes[axis].settings) {
      std::vector<std::string> configs;  // of the runs with this setting and the first seed
      for (std::size_t run = 0; run < plan.cells.size(); ++run) {
        if (plan.cells[plan.runs[run].cell][axis] == setting.label) {
          configs.push_back(dump_config(plan.runs[run].config));
        }
      }
      const auto [known, added] = names.try_emplace(std::move(configs), name_of(setting));
      if (!added) {
        throw ConfigError("{}: {} makes the same configs as {}; leave one of them out",
                          setting.place, name_of(setting), known->second);
      }
    }
  }
}

// Throws ConfigError if two axes, or an axis and the command line, set the same option, or if every
// setting of an axis has an option of `set`, which then has no effect. Returns a note for each
// option of `set` that only some settings have: the other settings use the value in `set`.
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
    std::map<std::string, std::size_t> own;  // number of settings with the option
    for (const SweepSetting& setting : axis.settings) {
      for (const Override& value : setting.values) {
        const std::string option = full_name(value);
        if (const auto owner = owners.find(option); owner != owners.end()) {
          throw ConfigError("{}: already set by {}", value.name_place, owner->second);
        }
        if (++own[option] == axis.settings.size() && in_set.contains(option)) {
          throw ConfigError(
              "{}: every setting of the axis has this option, so its value in `set` has no effect",
              value.name_place);
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

void expect_points(const SweepFile& sweep) {
  for (const SweepChapter& chapter : sweep.chapters) {
    for (const auto& [point, place] : chapter.points) {
      if (sweep.axes.size() != 1) {
        throw ConfigError("{}: chapters are for sweeps with one axis", place);
      }
      const auto points = mapped(sweep.axes.front().settings, &SweepSetting::label);
      if (std::ranges::count(points, point) == 0) {
        throw ConfigError("{}: the axis has no setting {} (it has {})", place, shown(point),
                          join(points, ", "));
      }
    }
  }
}

// Checks the number of runs before memory is taken for each.
void expect_few_runs(const SweepFile& sweep) {
  constexpr std::size_t most = 10'000;
  std::size_t runs = std::max<std::size_t>(1, sweep.seeds.size());
  for (const SweepAxis& axis : sweep.axes) {
    runs *= axis.settings.size();
    if (runs > most) {
      throw ConfigError("{}: with this axis the sweep has more than {} runs; leave settings out",
                        axis.settings.front().place, most);
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

// Joins the values of a list by +, and of inner lists by -, such as "full-window 2+full".
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

// Labels may contain any character, but file names should need no quotes in a shell.
std::string run_name(const SweepPlan& plan, const SweepCell& cell, std::uint64_t seed) {
  static constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=,+-";
  std::string name;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    name += fmt::format("{}={},", plan.axes[i], without_brackets(cell[i]));
  }
  name += fmt::format("seed={}", seed);
  std::ranges::replace_if(
      name, [](char c) { return plain.find(c) == std::string_view::npos; }, '_');
  return name;
}

SweepRun make_run(const SweepFile& sweep, const Combination& settings, const Override* seed) {
  SweepFile own = sweep;
  for (const SweepSetting* setting : settings) {
    override_fixed(own, setting->values);
  }
  std::vector<Override>& values = own.fixed;
  if (seed != nullptr) {
    values.push_back(*seed);
  }
  SweepRun run{};
  LoadedConfig loaded = load_with_overrides(sweep.config, values);
  for (const auto& [option, origin] : loaded.origins) {
    if (origin != "default" && origin != "auto") {
      run.places[option] = fmt::format("{}: {}", origin, option);
    }
  }
  for (const Override& value : values) {
    run.overrides.push_back(fmt::format("{}={}", full_name(value), value.text));
    run.places[full_name(value)] = value.place;
  }
  run.config = std::move(loaded.config);
  run.config_files = std::move(loaded.files);
  return run;
}

}  // namespace

void override_fixed(SweepFile& sweep, const std::vector<Override>& values) {
  for (const Override& value : values) {
    if (value.section.empty() && value.option == "seed") {
      sweep.seeds = {value};
      continue;
    }
    std::erase_if(sweep.fixed, [&](const Override& other) {
      return other.section == value.section && other.option == value.option;
    });
    sweep.fixed.push_back(value);
  }
}

SweepPlan plan_sweep(const SweepFile& sweep) {
  expect_few_runs(sweep);
  expect_points(sweep);
  const std::vector<Combination> all = combinations(sweep.axes);
  const auto labels = [](const Combination& settings) -> SweepCell {
    return mapped(settings, &SweepSetting::label);
  };
  SweepPlan plan{.config = sweep.config,
                 .axes = mapped(sweep.axes, &SweepAxis::name),
                 .cells = mapped(all, labels),
                 .split = sweep.split.name,
                 .study = sweep.study,
                 .show = mapped(sweep.show, &PlacedName::name),
                 .chapters = sweep.chapters,
                 .notes = expect_separate(sweep)};
  plan.study.further_splits = mapped(sweep.further_splits, &PlacedName::name);
  for (std::size_t seed = 0; seed < std::max<std::size_t>(1, sweep.seeds.size()); ++seed) {
    for (std::size_t cell = 0; cell < all.size(); ++cell) {
      SweepRun run = make_run(sweep, all[cell], sweep.seeds.empty() ? nullptr : &sweep.seeds[seed]);
      run.cell = cell;
      run.name = run_name(plan, plan.cells[cell], run.config.seed);
      plan.runs.push_back(std::move(run));
    }
  }
  plan.metric = sweep.metric.value_or(plan.runs.front().config.evaluation.metric);
  for (SweepChapter& chapter : plan.chapters) {
    if (chapter.figures.empty()) {
      chapter.figures = {{std::string(kind_of(plan.metric).name), ""}};
    }
  }
  expect_good_names(plan);
  expect_different_settings(sweep, plan);
  expect_splits(sweep, plan);
  expect_measured(sweep, plan);
  return plan;
}

}  // namespace tapehead
