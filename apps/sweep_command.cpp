// tapehead sweep FILE: trains a config with many settings and seeds, and reports which ones differ.

#include "apps/commands.hpp"
#include "apps/sweep_display.hpp"
#include "lab/report/page.hpp"
#include "lab/sweep/directory.hpp"
#include "train/model_training.hpp"
#include "train/output/signals.hpp"

namespace tapehead {

namespace {

struct SweepArguments {
  std::vector<fs::path> files;
  std::string example;
  fs::path root;                       // of an example: where its config's path begins
  fs::path run;                        // the sweep's directory; for several sweeps, their parent
  std::vector<std::string> overrides;  // "section.option=value"
  Index parallel = 0;
  Index threads = 1;
  bool json = false;

  // The directory for the runs and results of one of the files.
  fs::path directory_of(const fs::path& file) const {
    if (run.empty()) {
      return fs::path("runs") / file.stem();
    }
    return files.size() == 1 ? run : run / file.stem();
  }
};

struct PlannedSweep {
  SweepFile file;
  SweepPlan plan;
  fs::path directory;
};

// Throws ConfigError if a run would start from the weights of a run that does not exist. Allowed if
// an earlier sweep makes that run, or if this run has begun and no longer needs it.
void expect_initial_run(const SweepRun& run, const fs::path& directory,
                        const std::vector<PlannedSweep>& before) {
  const std::string& from = run.config.model.init_from;
  const auto normal = [](const fs::path& path) { return (path / "").lexically_normal(); };
  const auto makes_it = [&](const PlannedSweep& sweep) {
    return std::ranges::any_of(sweep.plan.runs, [&](const SweepRun& made) {
      return normal(sweep.directory / made.name) == normal(from);
    });
  };
  if (from.empty() || std::ranges::any_of(before, makes_it) ||
      fs::exists(RunFiles{directory / run.name}.config())) {
    return;
  }
  try {
    find_run(from);
  } catch (const IoError& error) {
    throw ConfigError("{}: {}", run.places.at("model.init_from"), error.what());
  }
}

// Reads and checks all sweeps before the first one begins. Throws ConfigError for a mistake in a
// file, for runs that could not begin, and for sweeps with the same directory; IoError if a sweep
// would overwrite a file that it reads.
std::vector<PlannedSweep> plan_sweeps(const SweepArguments& arguments) {
  const std::vector<Override> overrides = parse_overrides(arguments.overrides);
  std::vector<PlannedSweep> all;
  for (const fs::path& path : arguments.files) {
    SweepFile file = read_sweep(path, arguments.root);
    override_fixed(file, overrides);
    SweepPlan plan = plan_sweep(file);
    const fs::path directory = arguments.directory_of(path);
    if (std::ranges::count(all, directory, &PlannedSweep::directory) > 0) {
      throw ConfigError(
          "two of the sweeps would write into {}: start them one by one, each with its own --run",
          directory.string());
    }
    for (const SweepRun& run : plan.runs) {
      if (!run.config.training.freeze.empty()) {
        check_frozen(run.config, run.places.at("training.freeze"));
      }
      expect_initial_run(run, directory, all);
    }
    const InputFiles inputs = inputs_of_sweep(path, plan);
    expect_results_apart(inputs, plan, directory);
    expect_output_apart(inputs);
    all.push_back({std::move(file), std::move(plan), directory});
  }
  return all;
}

void write_results(const SweepPlan& plan, const SweepResults& results, const fs::path& directory) {
  write_file_atomically(directory / "runs.csv", runs_csv(plan, results));
  write_file_atomically(directory / "cells.csv", cells_csv(plan, results));
  const auto json = results_json(plan, results);
  write_file_atomically(directory / "results.json", json.dump(2) + '\n');
  write_file_atomically(directory / "report.html",
                        report_page(report_ended_sweep(directory, plan, json)));
}

// The command line that continues a stopped sweep.
std::string same_command(const SweepArguments& arguments, const Ranks& ranks) {
  std::string command = launch_words(ranks) + program_path() + " sweep";
  for (const fs::path& file : arguments.files) {
    command += arguments.example.empty() ? ' ' + shell_word(file.string())
                                         : option_words("--example", arguments.example);
  }
  for (const std::string& value : arguments.overrides) {
    command += " --set " + shell_word(value);
  }
  const auto number = [](Index value, Index usual) {
    return value == usual ? "" : std::to_string(value);
  };
  return command + option_words("--run", arguments.run.string()) +
         option_words("--parallel", number(arguments.parallel, 0)) +
         option_words("--threads", number(arguments.threads, 1)) +
         (arguments.json ? " --json" : "");
}

// Returns the exit code: 0; 1 after a failure; 128 + the signal that stopped the sweep.
int sweep(const SweepArguments& arguments, const PlannedSweep& planned, SweepPlaces& places,
          const Ranks& ranks) {
  const auto& [file, plan, directory] = planned;
  SweepRunner runner(
      {.plan = plan, .directory = directory, .places = places, .threads = arguments.threads});
  write_sweep_plan(directory, plan);
  for (const std::string& note : plan.notes) {
    write_message(fmt::format("{}\n", printable(note)));
  }
  write_message(fmt::format("{}, {}, {} of them finished before, in {}{}\n",
                            counted(std::ssize(plan.cells), "cell"),
                            counted(std::ssize(plan.runs), "run"), runner.count(RunState::finished),
                            directory.string(), places.spread()));
  const int signal = run_sweep(runner, places, plan);
  const auto finished = runner.count(RunState::finished);
  if (signal != 0) {
    write_message(fmt::format("stopped, {} of {} runs finished; continue with: {}\n", finished,
                              plan.runs.size(), same_command(arguments, ranks)));
    return 128 + signal;
  }
  bool failed = runner.count(RunState::failed) > 0;
  if (finished > 0) {
    const SweepResults results = sweep_results(plan, runner.scores());
    write_results(plan, results, directory);
    failed = !show_results(plan, results, directory, arguments.json) || failed;
    for (const std::string& problem : unknown_figures(file, results)) {
      failed = true;
      write_message(fmt::format("error: {}\n", printable(problem)));
    }
  }
  say_failures(runner, places);
  return failed ? 1 : 0;
}

// Runs the sweeps one after the other, after all files are read and all directories are available.
// The first rank plans, displays, writes and has an exit code; all other ranks serve it.
int run_sweeps(SweepArguments& arguments, Ranks& ranks) {
  if (!arguments.example.empty()) {
    arguments.files = {find_example(arguments.example, ExampleFile::sweep)};
    arguments.root = example_folder().parent_path();
  } else if (arguments.files.empty()) {
    throw ConfigError("sweep needs sweep files, or the name of an example: --example see_heads");
  }
  ranks.set_deadline(SweepPlaces::longest_solo);
  outlive_console();
  SweepPlaces places(ranks, arguments.parallel, arguments.threads);
  if (!ranks.first()) {
    for (const fs::path& file : arguments.files) {
      places.expect_shared(arguments.directory_of(file));
    }
    serve_sweeps(places);
    return 0;
  }
  const std::vector<PlannedSweep> all = plan_sweeps(arguments);
  std::vector<RunLock> locks;
  for (const PlannedSweep& planned : all) {
    locks.push_back(lock_sweep(planned.directory));
    places.expect_shared(planned.directory);
  }
  int worst = 0;
  for (std::size_t i = 0; i < all.size() && worst <= 1; ++i) {
    worst = std::max(worst, sweep(arguments, all[i], places, ranks));
  }
  places.close();
  return worst;
}

}  // namespace

const Command sweep_command(30, [](CLI::App& program, Ranks& ranks) {
  const auto [command, arguments] = add_command<SweepArguments>(
      program, "sweep",
      "Train a config with many settings and seeds, and say which settings differ",
      [&ranks](SweepArguments& sweeps) { return run_sweeps(sweeps, ranks); });
  auto* files =
      command.add_option("files", arguments.files,
                         "Sweep files, YAML or JSON (docs/sweeps.md), done one after the other");
  command
      .add_option("--example", arguments.example,
                  "Instead of files: the name of a sweep that comes with tapehead, such as "
                  "see_heads")
      ->excludes(files);
  command.add_option(
      "--run", arguments.run,
      "Directory of the runs and results, by default runs/<sweep name>; for several sweeps, the "
      "parent of their directories. Finished runs there are not trained again");
  add_set_option(command, arguments.overrides);
  add_number_option(command, named("--parallel", 1, 1024), &arguments.parallel,
                    "Runs in parallel; by default as many as use all cores. With several ranks, "
                    "runs in parallel on each rank, by default one");
  add_threads_option(command, arguments.threads, "Worker threads of each run");
  command.add_flag("--json", arguments.json,
                   "At the end one JSON object for each sweep on standard output: its results");
});

}  // namespace tapehead
