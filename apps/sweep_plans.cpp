#include "apps/sweep_plans.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "apps/inputs.hpp"
#include "core/errors.hpp"
#include "lab/sweep/directory.hpp"
#include "lab/sweep/plan.hpp"
#include "train/config/overrides.hpp"
#include "train/model_training.hpp"
#include "train/run/run_files.hpp"

namespace tapehead {

namespace {

// Whether one of the sweeps trains this run.
bool makes(const std::vector<PlannedSweep>& sweeps, const std::filesystem::path& run) {
  const auto is_it = [&](const std::filesystem::path& other) {
    return (other / "").lexically_normal() == (run / "").lexically_normal();
  };
  return std::ranges::any_of(sweeps, [&](const PlannedSweep& sweep) {
    return std::ranges::any_of(
        sweep.plan.runs, [&](const SweepRun& made) { return is_it(sweep.directory / made.name); });
  });
}

// Throws ConfigError if a run would start from the weights of a run that does not exist. A sweep
// before this one may make it, and a run that has begun no longer needs it.
void expect_initial_run(const SweepRun& run, const std::filesystem::path& directory,
                        const std::vector<PlannedSweep>& before) {
  const std::string& from = run.config.model.init_from;
  if (from.empty() || makes(before, from) ||
      std::filesystem::exists(RunFiles{directory / run.name}.config())) {
    return;
  }
  try {
    find_run(from);
  } catch (const IoError& error) {
    throw ConfigError(fmt::format("{}: {}", run.places.at("model.init_from"), error.what()));
  }
}

// What a training checks before it begins, for every run of the plan.
void expect_can_begin(const SweepPlan& plan, const std::filesystem::path& directory,
                      const std::vector<PlannedSweep>& before) {
  for (const SweepRun& run : plan.runs) {
    if (!run.config.training.freeze.empty()) {
      check_frozen(run.config, run.places.at("training.freeze"));
    }
    expect_initial_run(run, directory, before);
  }
}

}  // namespace

std::filesystem::path SweepRequest::directory_of(const std::filesystem::path& file) const {
  if (run.empty()) {
    return std::filesystem::path("runs") / file.stem();
  }
  return files.size() == 1 ? run : run / file.stem();
}

std::vector<PlannedSweep> plan_sweeps(const SweepRequest& request) {
  const std::vector<Override> overrides = parse_overrides(request.overrides);
  std::vector<PlannedSweep> all;
  for (const std::filesystem::path& path : request.files) {
    SweepFile file = read_sweep(path);
    override_fixed(file, overrides);
    SweepPlan plan = plan_sweep(file);
    const std::filesystem::path directory = request.directory_of(path);
    if (std::ranges::find(all, directory, &PlannedSweep::directory) != all.end()) {
      throw ConfigError(fmt::format(
          "two of the sweeps would write into {}: start them one by one, each with its own --run",
          directory.string()));
    }
    expect_can_begin(plan, directory, all);
    const InputFiles inputs = inputs_of_sweep(path, plan);
    expect_results_apart(inputs, plan, directory);
    expect_output_apart(inputs);
    all.push_back({std::move(file), std::move(plan), directory});
  }
  return all;
}

}  // namespace tapehead
