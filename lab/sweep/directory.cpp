#include "lab/sweep/directory.hpp"

#include <chrono>
#include <thread>

#include "lab/sweep/chapters.hpp"
#include "train/run/data.hpp"

namespace tapehead {

namespace {

constexpr std::array<const char*, 5> result_files{"sweep.json", "results.json", "runs.csv",
                                                  "cells.csv", "report.html"};

fs::path lock_of(const fs::path& directory) { return directory / ".sweep.lock"; }

fs::path plan_file(const fs::path& directory) { return directory / "sweep.json"; }

SweepRun run_of(const JsonObject& json, std::size_t cells, const fs::path& directory) {
  const Json& seed = json.member("seed");
  if (!seed.is_number_unsigned()) {
    json.fail("seed", "a whole number from 0 on");
  }
  SweepRun run{
      .cell = static_cast<std::size_t>(json.count("cell", 0, static_cast<Index>(cells) - 1)),
      .name = json.text("name"),
      .overrides = json.texts("overrides")};
  if (run.name.empty() || run.name.find_first_of("/\\") != std::string::npos || run.name == "..") {
    json.fail("name", "the name of a directory in the sweep's directory");
  }
  const fs::path config = RunFiles{directory / run.name}.config();
  if (fs::exists(status_of(config))) {
    run.config = load_config(find_run(directory / run.name).config()).config;
  }
  run.config.seed = seed.get<std::uint64_t>();
  return run;
}

SweepPlan plan_of(const Json& json, const fs::path& directory) {
  const std::string where = plan_file(directory).string();
  const JsonObject object(json, where);
  SweepPlan plan{};
  plan.config = object.text("config");
  plan.axes = object.texts("axes");
  const auto metric = metric_named(object.text("metric"));
  if (!metric) {
    object.fail("metric", "a metric");
  }
  plan.metric = *metric;
  plan.split = object.text("split");
  plan.show = object.texts("show");
  std::ranges::transform(plan.show, plan.show.begin(), present_name);
  plan.chapters = chapters_of(object, where);
  if (!plan.chapters.empty() && plan.axes.size() != 1) {
    object.fail("axes", "one axis, whose settings the chapters name");
  }
  for (const Json& labels : object.list("cells")) {
    if (!labels.is_array() || labels.size() != plan.axes.size() ||
        !std::ranges::all_of(labels, &Json::is_string)) {
      throw IoError("{}: a cell needs one label for each of {} axes", where, plan.axes.size());
    }
    plan.cells.push_back(labels.get<SweepCell>());
  }
  for (const Json& run : object.list("runs")) {
    plan.runs.push_back(run_of(JsonObject(run, where), plan.cells.size(), directory));
  }
  return plan;
}

}  // namespace

RunLock lock_sweep(const fs::path& directory) {
  std::error_code ignored;
  if (fs::exists(directory, ignored) && !is_run_lock(lock_of(directory)) &&
      !fs::is_empty(directory, ignored)) {
    throw IoError(
        "{} contains something that is not a sweep, so nothing is written there; choose another "
        "directory with --run DIR",
        directory.string());
  }
  make_directories(directory);
  RunLock lock(lock_of(directory));
  remove_temporary_files(directory);
  return lock;
}

bool is_in_use(const fs::path& directory) { return is_locked(lock_of(directory)); }

bool is_locked(const fs::path& lock) {
  try {
    expect_unlocked(lock);
    return false;
  } catch (const IoError&) {
    return true;
  }
}

void look_again(const fs::path& directory) {
  std::error_code ignored;
  fs::directory_iterator(directory, ignored);
}

void wait_for_lock(const fs::path& lock) {
  constexpr std::chrono::seconds patience(20);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (is_locked(lock) && std::chrono::steady_clock::now() <= end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  expect_unlocked(lock);
}

InputFiles inputs_of_sweep(const fs::path& directory) {
  InputFiles inputs;
  for (const char* const name : result_files) {
    if (directory / name != RunFiles{directory}.report()) {
      inputs.add(directory / name);
    }
  }
  for (const fs::path& entry : entries_of(directory)) {
    inputs.add(files_of_run(entry));
  }
  return inputs;
}

InputFiles inputs_of_sweep(const fs::path& file, const SweepPlan& plan) {
  InputFiles inputs;
  inputs.add(file);
  for (const SweepRun& run : plan.runs) {
    inputs.add(run.config_files);
    inputs.add(inputs_of_training(run.config).paths());
  }
  return inputs;
}

void expect_results_apart(const InputFiles& inputs, const SweepPlan& plan,
                          const fs::path& directory) {
  for (const char* const name : result_files) {
    inputs.expect_other(directory / name);
  }
  for (const SweepRun& run : plan.runs) {
    inputs.expect_other(directory / (run.name + ".log"));
  }
}

bool is_sweep(const fs::path& directory) {
  return fs::is_regular_file(status_of(plan_file(directory)));
}

void write_sweep_plan(const fs::path& directory, const SweepPlan& plan) {
  Json json = {{"config", plan.config.string()},
               {"axes", plan.axes},
               {"metric", kind_of(plan.metric).name},
               {"split", plan.split},
               {"show", plan.show},
               {"chapters", chapters_json(plan.chapters)},
               {"cells", plan.cells},
               {"runs", Json::array()}};
  for (const SweepRun& run : plan.runs) {
    json["runs"].push_back({{"name", run.name},
                            {"cell", run.cell},
                            {"seed", run.config.seed},
                            {"overrides", run.overrides}});
  }
  write_file_atomically(plan_file(directory), json.dump(2) + '\n');
}

SweepPlan read_sweep_plan(const fs::path& directory) {
  const fs::path file = plan_file(directory);
  try {
    return plan_of(parse_json_file(file), directory);
  } catch (const IoError& error) {
    throw IoError("{}; the command `sweep` writes the plan again", error.what());
  }
}

}  // namespace tapehead
