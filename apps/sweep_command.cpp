// tapehead sweep FILE: trains a config with many settings and seeds, and reports which ones differ.

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/sweep_display.hpp"
#include "core/files/files.hpp"
#include "lab/report/page.hpp"
#include "lab/sweep/directory.hpp"
#include "lab/sweep/plan.hpp"
#include "train/config/overrides.hpp"
#include "train/model_training.hpp"
#include "train/output/signals.hpp"
#include "train/output/text_table.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

namespace {

// How long other ranks wait while the first rank plans a sweep or compares its cells.
constexpr double longest_solo = 600;  // seconds

struct SweepArguments {
  std::vector<std::filesystem::path> files;
  std::filesystem::path run;           // the sweep's directory; for several sweeps, their parent
  std::vector<std::string> overrides;  // "section.option=value"
  Index parallel = 0;
  Index threads = 1;
  bool json = false;

  // The directory for the runs and results of one of the files.
  std::filesystem::path directory_of(const std::filesystem::path& file) const {
    if (run.empty()) {
      return std::filesystem::path("runs") / file.stem();
    }
    return files.size() == 1 ? run : run / file.stem();
  }
};

struct PlannedSweep {
  SweepFile file;
  SweepPlan plan;
  std::filesystem::path directory;
};

// Whether one of these sweeps trains the run.
bool makes(const std::vector<PlannedSweep>& sweeps, const std::filesystem::path& run) {
  const auto is_it = [&](const std::filesystem::path& other) {
    return (other / "").lexically_normal() == (run / "").lexically_normal();
  };
  return std::ranges::any_of(sweeps, [&](const PlannedSweep& sweep) {
    return std::ranges::any_of(
        sweep.plan.runs, [&](const SweepRun& made) { return is_it(sweep.directory / made.name); });
  });
}

// Throws ConfigError if a run would start from the weights of a run that does not exist. Allowed if
// an earlier sweep makes that run, or if this run has begun and no longer needs it.
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

// The checks that a training makes before it begins, for every run of the plan.
void expect_can_begin(const SweepPlan& plan, const std::filesystem::path& directory,
                      const std::vector<PlannedSweep>& before) {
  for (const SweepRun& run : plan.runs) {
    if (!run.config.training.freeze.empty()) {
      check_frozen(run.config, run.places.at("training.freeze"));
    }
    expect_initial_run(run, directory, before);
  }
}

// Reads and checks all sweeps before the first one begins. Throws ConfigError for a mistake in a
// file, for runs that could not begin, and for sweeps with the same directory; IoError if a sweep
// would overwrite a file that it reads.
std::vector<PlannedSweep> plan_sweeps(const SweepArguments& arguments) {
  const std::vector<Override> overrides = parse_overrides(arguments.overrides);
  std::vector<PlannedSweep> all;
  for (const std::filesystem::path& path : arguments.files) {
    SweepFile file = read_sweep(path);
    override_fixed(file, overrides);
    SweepPlan plan = plan_sweep(file);
    const std::filesystem::path directory = arguments.directory_of(path);
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

SweepResults write_results(const SweepPlan& plan, const SweepRunner& runner,
                           const std::filesystem::path& directory) {
  SweepResults results = sweep_results(plan, runner.scores());
  write_file_atomically(directory / "runs.csv", runs_csv(plan, results));
  write_file_atomically(directory / "cells.csv", cells_csv(plan, results));
  const auto json = results_json(plan, results);
  write_file_atomically(directory / "results.json", json.dump(2) + '\n');
  write_file_atomically(directory / "report.html",
                        report_page(report_ended_sweep(directory, plan, json)));
  return results;
}

// The command line that continues a stopped sweep.
std::string same_command(const SweepArguments& arguments, Launch& launch) {
  std::string command = launch.words() + program_path() + " sweep";
  for (const std::filesystem::path& file : arguments.files) {
    command += ' ' + shell_word(file.string());
  }
  for (const std::string& value : arguments.overrides) {
    command += " --set " + shell_word(value);
  }
  if (!arguments.run.empty()) {
    command += " --run " + shell_word(arguments.run.string());
  }
  if (arguments.parallel > 0) {
    command += fmt::format(" --parallel {}", arguments.parallel);
  }
  if (arguments.threads != 1) {
    command += fmt::format(" --threads {}", arguments.threads);
  }
  return command + (arguments.json ? " --json" : "");
}

// Returns the exit code: 0; 1 after a failure; 128 + the signal that stopped the sweep.
int sweep(const SweepArguments& arguments, const PlannedSweep& planned,
          const SweepDirectory& directory, SweepPlaces& places, Launch& launch) {
  const SweepPlan& plan = planned.plan;
  SweepRunner runner({.plan = plan,
                      .directory = directory.path(),
                      .places = places,
                      .threads = arguments.threads});
  write_sweep_plan(directory.path(), plan);
  for (const std::string& note : plan.notes) {
    write_message(fmt::format("{}\n", printable(note)));
  }
  write_message(fmt::format("{}, {}, {} of them finished before, in {}{}\n",
                            counted(std::ssize(plan.cells), "cell"),
                            counted(std::ssize(plan.runs), "run"), runner.count(RunState::finished),
                            directory.path().string(),
                            places.ranks() > 1 ? fmt::format("; {} ranks", places.ranks()) : ""));
  const int signal = run_sweep(runner, places, plan);
  const auto finished = runner.count(RunState::finished);
  if (signal != 0) {
    write_message(fmt::format("stopped, {} of {} runs finished; continue with: {}\n", finished,
                              plan.runs.size(), same_command(arguments, launch)));
    return 128 + signal;
  }
  std::vector<std::string> problems;
  bool shown = true;
  if (finished > 0) {
    const SweepResults results = write_results(plan, runner, directory.path());
    shown = show_results(plan, results, directory.path(), arguments.json);
    problems = unknown_figures(planned.file, results);
  }
  for (const std::string& problem : problems) {
    write_message(fmt::format("error: {}\n", printable(problem)));
  }
  say_failures(runner, places);
  return runner.count(RunState::failed) > 0 || !problems.empty() || !shown ? 1 : 0;
}

// Runs the sweeps one after the other, after all files are read and all directories are available.
int sweep_all(const SweepArguments& arguments, SweepPlaces& places, Launch& launch) {
  const std::vector<PlannedSweep> all = plan_sweeps(arguments);
  std::vector<std::unique_ptr<SweepDirectory>> directories;
  for (const PlannedSweep& planned : all) {
    directories.push_back(std::make_unique<SweepDirectory>(planned.directory));
    places.expect_shared(planned.directory);
  }
  int worst = 0;
  for (std::size_t i = 0; i < all.size() && worst <= 1; ++i) {
    worst = std::max(worst, sweep(arguments, all[i], *directories[i], places, launch));
  }
  places.close();
  return worst;
}

// The first rank plans, displays, writes and has an exit code; all other ranks serve it.
int sweep_launched(const SweepArguments& arguments, Launch& launch) {
  launch.set_deadline(longest_solo);
  outlive_console();
  SweepPlaces places(launch.ranks(), arguments.parallel, arguments.threads);
  if (launch.prints()) {
    return sweep_all(arguments, places, launch);
  }
  for (const std::filesystem::path& file : arguments.files) {
    places.expect_shared(arguments.directory_of(file));
  }
  serve_sweeps(places);
  return 0;
}

}  // namespace

const Command sweep_command(30, [](CLI::App& program, Launch& launch) {
  const auto [command, arguments] = add_command<SweepArguments>(
      program, "sweep",
      "Train a config with many settings and seeds, and say which settings differ",
      [&launch](const SweepArguments& sweeps) { return sweep_launched(sweeps, launch); });
  command
      .add_option("files", arguments.files,
                  "Sweep files, YAML or JSON (docs/sweeps.md), done one after the other")
      ->required();
  command.add_option(
      "--run", arguments.run,
      "Directory of the runs and results, by default runs/<sweep name>; for several sweeps, the "
      "directory that contains theirs. Finished runs there are not trained again");
  add_set_option(command, arguments.overrides);
  add_number_option(command, "--parallel", &arguments.parallel, {1, 1024},
                    "Runs in parallel; by default as many as use all cores. With several ranks, "
                    "runs in parallel on each rank, by default one");
  add_threads_option(command, arguments.threads, "Worker threads of each run");
  command.add_flag("--json", arguments.json,
                   "At the end one JSON object for each sweep on standard output: its results");
});

}  // namespace tapehead
