// tapehead train CONFIG: trains a model into a run directory.

#include <spdlog/spdlog.h>

#include "apps/commands.hpp"
#include "lab/report/page.hpp"
#include "lab/report/run.hpp"
#include "train/loop/training.hpp"

namespace tapehead {

namespace {

struct TrainArguments {
  TrainRequest request;
  std::string example;
  bool no_report = false;
  bool json = false;
  double deadline = 60;     // seconds
  Index usual_threads = 1;  // the default
};

// Only warns if the page cannot be written, because the trained run is still valid.
void write_page(const RunFiles& files, const Task& task, Index threads) {
  try {
    const auto validation = task.split("validation").size();
    const auto report = report_run({.run = files.directory,
                                    .effort = effort_of_training(validation),
                                    .threads = threads,
                                    .task = &task});
    write_file_atomically(files.report(), report_page(report));
    spdlog::info("curves, samples and heads: {}", files.report().string());
  } catch (const std::exception& error) {
    spdlog::warn("{} was not written: {}", files.report().string(), plain_message(error));
  }
}

// The command line that continues a stopped training.
std::string command_to_continue(const TrainArguments& arguments, const RunFiles& files,
                                const Ranks& ranks) {
  const TrainRequest& request = arguments.request;
  const auto changed = [](auto value, auto usual) {
    return value == usual ? "" : fmt::format("{}", value);
  };
  return fmt::format(
      "{}{} train {} --run {} --resume{}{}{}{}", launch_words(ranks), program_path(),
      shell_word(request.config.string()), shell_word(files.directory.string()),
      option_words("--threads", changed(request.threads, arguments.usual_threads)),
      option_words("--deadline", changed(arguments.deadline, TrainArguments().deadline)),
      arguments.no_report ? " --no-report" : "", arguments.json ? " --json" : "");
}

void after_training(const TrainArguments& arguments, const Trained& trained, const Ranks& ranks) {
  const RunFiles& files = trained.files;
  const RunEnd& end = trained.end;
  const bool whole = end.signal == 0;
  if (whole && trained.loaded.config.run.report && !arguments.no_report) {
    write_page(files, trained.task, arguments.request.threads);
  }
  if (arguments.json) {
    Json json = {{"run", files.directory.string()}, {"step", end.step}, {"seconds", end.seconds}};
    if (whole) {
      json["tests"] = read_record(files.record()).value().end.value().tests;
    } else {
      json["signal"] = end.signal;
    }
    write_output(fmt::format("{}\n", json.dump()));
  }
  if (!whole) {
    spdlog::info("stopped at step {}; continue with: {}", end.step,
                 command_to_continue(arguments, files, ranks));
  }
}

int train_run(TrainArguments& arguments, Ranks& ranks) {
  if (!arguments.example.empty()) {
    arguments.request.config = find_example(arguments.example, ExampleFile::config);
  } else if (arguments.request.config.empty()) {
    throw ConfigError(
        "train needs a config file, or the name of an example config: --example copy");
  }
  outlive_console();
  arguments.request.ranks = &ranks;
  if (ranks.first()) {
    arguments.request.console = start_logging();
  }
  const Trained trained = train(arguments.request);
  if (ranks.first()) {
    after_training(arguments, trained, ranks);
  }
  return trained.end.signal == 0 ? 0 : 128 + trained.end.signal;
}

}  // namespace

const Command train_command(10, [](CLI::App& program, Ranks& ranks) {
  const ThreadCount usual = default_thread_count(ranks);
  const auto [command, arguments] = add_command<TrainArguments>(
      program, "train", "Train a model from a config file",
      [&ranks, from = usual.from](TrainArguments& chosen, const CLI::App& given) {
        chosen.request.threads_from = given.count("--threads") > 0 ? "--threads" : from;
        ranks.set_deadline(chosen.deadline);
        return train_run(chosen, ranks);
      });
  TrainRequest& request = arguments.request;
  auto* config = command.add_option("config", request.config, "Config file, YAML or JSON");
  command
      .add_option("--example", arguments.example,
                  "Instead of a config file: the name of a config that comes with tapehead, "
                  "such as copy")
      ->excludes(config);
  command.add_option("--run", request.run, "Run directory; by default runs/<config name>");
  add_set_option(command, request.overrides);
  arguments.usual_threads = request.threads = usual.count;
  add_threads_option(command, request.threads,
                     "Worker threads; they change the time, not the result");
  auto* resume = command.add_flag(
      "--resume", request.resume,
      "Continue the run from its newest checkpoint, with the config it was started with");
  command.add_flag("--overwrite", request.overwrite, "Replace an earlier run")->excludes(resume);
  add_data_option(command, request.data)->needs(resume);
  command.add_flag("--no-report", arguments.no_report,
                   "Write no report.html at the end, whatever run.report says");
  command.add_flag("--json", arguments.json,
                   "At the end one JSON object on standard output: how the training ended, and "
                   "the figures of the test");
  add_number_option(command, named("--deadline", 0.1, 1e6), &arguments.deadline,
                    "With several ranks: seconds to wait for a rank that does not answer; then an "
                    "error names it and all end");
});

}  // namespace tapehead
