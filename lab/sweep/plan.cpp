#include "lab/sweep/plan.hpp"

#include "core/text.hpp"
#include "train/config/overrides.hpp"

namespace tapehead {

namespace {

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
    name += fmt::format("{}={},", plan.axes[i], without_brackets(cell[i]));
  }
  return file_name(name + fmt::format("seed={}", seed));
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
    places[full_name(value)] = value.place;
  }
  return places;
}

SweepRun make_run(const SweepFile& sweep, const Combination& settings, const Override* seed) {
  std::vector<Override> values;
  for (const SweepSetting* setting : settings) {
    values.insert(values.end(), setting->values.begin(), setting->values.end());
  }
  std::vector<Override> fixed = sweep.fixed;
  std::erase_if(fixed, [&](const Override& value) {
    return std::ranges::find(values, full_name(value), full_name) != values.end();
  });
  values.insert(values.begin(), fixed.begin(), fixed.end());
  if (seed != nullptr) {
    values.push_back(*seed);
  }
  SweepRun run{};
  for (const Override& value : values) {
    run.overrides.push_back(fmt::format("{}={}", full_name(value), value.text));
  }
  LoadedConfig loaded = load_with_overrides(sweep.config, values);
  run.places = places_of(loaded, values);
  run.config = std::move(loaded.config);
  run.config_files = std::move(loaded.files);
  return run;
}

}  // namespace

SweepPlan plan_sweep(const SweepFile& sweep) {
  std::vector<std::string> notes = expect_separate(sweep);
  SweepPlan plan{.config = sweep.config,
                 .split = sweep.split.name,
                 .study = sweep.study,
                 .notes = std::move(notes)};
  const auto names_of = [](const auto& list, std::vector<std::string>& names) {
    std::ranges::transform(list, std::back_inserter(names),
                           [](const auto& one) { return one.name; });
  };
  names_of(sweep.further_splits, plan.study.further_splits);
  names_of(sweep.show, plan.show);
  names_of(sweep.axes, plan.axes);
  const std::vector<Combination> all = combinations(sweep.axes);
  for (const Combination& settings : all) {
    SweepCell& cell = plan.cells.emplace_back();
    for (const SweepSetting* setting : settings) {
      cell.push_back(setting->label);
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
  plan.metric = sweep.metric.value_or(plan.runs.front().config.evaluation.metric);
  expect_sound(sweep, plan);
  return plan;
}

}  // namespace tapehead
