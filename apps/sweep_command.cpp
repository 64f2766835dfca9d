// tapehead sweep FILE: trains a config with many settings and seeds, and says which ones differ.
#include <algorithm>

#include "apps/commands.hpp"
#include "apps/sweep_display.hpp"
#include "apps/sweep_plans.hpp"
#include "core/files/files.hpp"
#include "lab/report/page.hpp"
#include "lab/report/sweep.hpp"
#include "lab/sweep/directory.hpp"
#include "lab/sweep/plan.hpp"
#include "lab/sweep/results.hpp"
#include "train/output/program_path.hpp"
#include "train/output/signals.hpp"
#include "train/output/text_table.hpp"

namespace tapehead {

namespace {

// For so long others wait while this process plans a sweep or compares its cells.
constexpr double longest_solo = 600;  // seconds

struct SweepArguments {
  SweepRequest sweeps;
  Index parallel = 0;
  Index threads = 1;
  bool json = false;
};

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

// The results are in their files already. If nobody reads the table, the next sweep still runs.
bool show_results(const SweepArguments& arguments, const SweepPlan& plan,
                  const SweepResults& results, const std::filesystem::path& directory) {
  try {
    if (arguments.json) {
      nlohmann::ordered_json json = {{"sweep", directory.string()}};
      json.update(results_json(plan, results));
      write_output(fmt::format("{}\n", json.dump()));
    } else {
      write_output(
          fmt::format("{}\n\nin {}: cells.csv, runs.csv, results.json, report.html, and the runs\n",
                      results_table(plan, results), directory.string()));
    }
    flush_output();
    return true;
  } catch (const IoError& error) {
    write_message(fmt::format("error: {}\n", error.what()));
    return false;
  }
}

// The last lines that the processes of a run printed.
std::string end_of(const std::filesystem::path& log) {
  constexpr std::size_t most = 2000;
  std::string text = read_file(log);
  const std::size_t begin = text.size() > most ? text.find('\n', text.size() - most) + 1 : 0;
  return text.substr(begin, text.find_last_not_of('\n') + 1 - begin);
}

void say_failures(SweepRunner& runner, const SweepPlaces& places) {
  for (const SweepRunner::Run& run : runner.runs()) {
    if (run.state == RunState::failed) {
      write_message(fmt::format("error: {} failed{} (exit code {}); {} ends with\n{}\n",
                                run.directory.string(), places.where(run.failed_at), run.exit_code,
                                run.log.string(), printable(end_of(run.log))));
    }
  }
}

// The command line that continues what was stopped.
std::string same_command(const SweepArguments& arguments, Launch& launch) {
  std::string command = launch.words() + program_path() + " sweep";
  for (const std::filesystem::path& file : arguments.sweeps.files) {
    command += ' ' + shell_word(file.string());
  }
  for (const std::string& value : arguments.sweeps.overrides) {
    command += " --set " + shell_word(value);
  }
  if (!arguments.sweeps.run.empty()) {
    command += " --run " + shell_word(arguments.sweeps.run.string());
  }
  if (arguments.parallel > 0) {
    command += fmt::format(" --parallel {}", arguments.parallel);
  }
  if (arguments.threads != 1) {
    command += fmt::format(" --threads {}", arguments.threads);
  }
  return command + (arguments.json ? " --json" : "");
}

// Returns the exit code: 0; 1 if something failed; 128 + the signal that stopped it.
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
    shown = show_results(arguments, plan, results, directory.path());
    problems = unknown_figures(planned.file, results);
  }
  for (const std::string& problem : problems) {
    write_message(fmt::format("error: {}\n", printable(problem)));
  }
  say_failures(runner, places);
  return runner.count(RunState::failed) > 0 || !problems.empty() || !shown ? 1 : 0;
}

// Runs them one after the other, after all files are read and all directories are available.
int sweep_all(const SweepArguments& arguments, SweepPlaces& places, Launch& launch) {
  const std::vector<PlannedSweep> all = plan_sweeps(arguments.sweeps);
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

// One process plans, displays and writes, and has an exit code; the others serve it.
int sweep_launched(const SweepArguments& arguments, Launch& launch) {
  launch.set_deadline(longest_solo);
  outlive_console();
  SweepPlaces places(launch.ranks(), arguments.parallel, arguments.threads);
  if (launch.prints()) {
    return sweep_all(arguments, places, launch);
  }
  for (const std::filesystem::path& file : arguments.sweeps.files) {
    places.expect_shared(arguments.sweeps.directory_of(file));
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
      .add_option("files", arguments.sweeps.files,
                  "Sweep files, YAML or JSON (docs/sweeps.md), done one after the other")
      ->required();
  command.add_option(
      "--run", arguments.sweeps.run,
      "Directory of the runs and results, by default runs/<sweep name>; for several sweeps, the "
      "directory that contains theirs. Finished runs there are not trained again");
  add_set_option(command, arguments.sweeps.overrides);
  add_number_option(command, "--parallel", &arguments.parallel, {1, 1024},
                    "Runs in parallel; by default as many as use all cores. With several ranks, "
                    "runs in parallel on each rank, by default one");
  add_threads_option(command, arguments.threads, "Worker threads of each run");
  command.add_flag("--json", arguments.json,
                   "At the end one JSON object for each sweep on standard output: its results");
});

}  // namespace tapehead
