// tapehead train CONFIG: trains a model into a run directory.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/number_option.hpp"
#include "apps/threads.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/process_memory.hpp"
#include "lab/report_page.hpp"
#include "lab/report_run.hpp"
#include "train/config/config.hpp"
#include "train/evaluation_report.hpp"
#include "train/initial_weights.hpp"
#include "train/run/logging.hpp"
#include "train/run/program_path.hpp"
#include "train/run/run_record.hpp"
#include "train/run/signals.hpp"
#include "train/run_plan.hpp"
#include "train/training_run.hpp"

namespace tapehead {

namespace {

struct TrainArguments {
  std::filesystem::path config;
  std::filesystem::path run;
  std::vector<std::string> overrides;
  DataChoice data;
  Index threads = default_threads();
  bool resume = false;
  bool overwrite = false;
  bool no_report = false;
};

// A resumed run goes on with the config that it wrote; `--set` may still change what the command
// line may change.
bool has_config(const TrainArguments& arguments, const std::filesystem::path& directory) {
  return arguments.resume && std::filesystem::exists(RunFiles{directory}.config());
}

// The file may have become another since, or be no config by itself: some options came by `--set`.
void say_differences(const TrainArguments& arguments, const LoadedConfig& run) {
  std::vector<std::string> differing;
  try {
    differing = differences(run, load_config(arguments.config).config);
  } catch (const ConfigError& error) {
    differing.emplace_back(error.what());
  }
  if (!differing.empty()) {
    spdlog::info("the run goes on with its own config, not with {} (--set can change it):\n  {}",
                 arguments.config.string(), fmt::join(differing, "\n  "));
  }
}

// A run that would take the place of what it is made from, or of any run unasked, is refused.
void expect_available(const TrainArguments& arguments, const Config& config,
                      const std::filesystem::path& directory) {
  if (arguments.resume) {
    return;
  }
  RunDirectory::expect_available(directory, arguments.overwrite);
  if (arguments.overwrite) {
    RunDirectory::expect_keeps(directory, inputs_of_config(arguments.config, config));
  }
}

// The record of a run that starts, or goes on: no longer ended, and with what `--set` has changed.
RunRecord begin_record(const RunFiles& files, const TrainArguments& arguments,
                       const LoadedConfig& loaded, const BlasInfo& blas, Index step) {
  RunRecord record;
  if (arguments.resume) {
    record = read_record(files.record()).value_or(RunRecord{});
  }
  const bool first = record.starts.empty();
  for (const auto& [option, origin] : loaded.origins) {
    if (first || origin == "--set") {
      record.origins[option] = origin;
    }
  }
  record.starts.push_back({.step = step,
                           .version = TAPEHEAD_VERSION,
                           .processor = processor_name(),
                           .kernels = blas.kernels,
                           .threads = arguments.threads});
  record.end.reset();
  write_record(files.record(), record);
  return record;
}

void end_record(const RunFiles& files, RunRecord record, const RunEnd& end) {
  record.end = {.step = end.step, .seconds = end.seconds};
  if (end.step > record.starts.back().step) {
    record.peak_memory = std::max(record.peak_memory.value_or(0), process_memory().peak);
  }
  for (const auto& [split, evaluation] : end.tests) {
    record.end->tests[split] = evaluation_json(evaluation);
  }
  write_record(files.record(), record);
}

RunEnd train_into(const RunDirectory& run, const TrainArguments& arguments,
                  const LoadedConfig& loaded, const TaskOptions& data, const Task& task,
                  const BlasInfo& blas, const std::shared_ptr<Console>& console) {
  const Config& config = loaded.config;
  TrainingRun training(config, task, run, blas, arguments.threads, console, arguments.resume);
  // Only now, when a run that is resumed has accepted it.
  write_run_data(run.files(), config.task, data);
  write_file_atomically(run.files().config(), dump_config(config));
  if (!has_tokenizers(run.files().directory)) {
    save_tokenizers({task.source_tokenizer, task.target_tokenizer}, run.files().directory);
  }
  const RunRecord record = begin_record(run.files(), arguments, loaded, blas, training.step());
  RunEnd end = training.run();
  if (end.signal == 0) {
    end_record(run.files(), record, end);
  }
  return end;
}

// What has been trained stays good whatever becomes of its page.
void write_page(const RunFiles& files, const TrainArguments& arguments, const Task& task) {
  try {
    const auto validation = static_cast<Index>(task.split("validation").examples.size());
    const auto report = report_run({.run = files.directory,
                                    .effort = effort_of_training(validation),
                                    .threads = arguments.threads,
                                    .task = &task});
    write_file_atomically(files.report(), report_page(report));
    spdlog::info("curves, samples and heads: {}", files.report().string());
  } catch (const std::exception& error) {
    spdlog::warn("{} was not written: {}", files.report().string(), error.what());
  }
}

int finish_run(const RunDirectory& run, const TrainArguments& arguments, const Config& config,
               const Task& task, const RunEnd& end) {
  if (end.signal == 0) {
    if (config.run.report && !arguments.no_report) {
      write_page(run.files(), arguments, task);
    }
    return 0;
  }
  spdlog::info("stopped at step {}; go on with: {} train {} --run {} --resume", end.step,
               program_path(), shell_word(arguments.config.string()),
               shell_word(run.files().directory.string()));
  return 128 + end.signal;
}

int train(const TrainArguments& arguments) {
  outlive_console();
  const std::filesystem::path directory =
      arguments.run.empty() ? std::filesystem::path("runs") / arguments.config.stem()
                            : arguments.run;
  const bool own_config = has_config(arguments, directory);
  const LoadedConfig loaded = load_config(
      own_config ? RunFiles{directory}.config() : arguments.config, arguments.overrides);
  const Config& config = loaded.config;
  const auto console = std::make_shared<Console>();
  start_logging(console);
  if (own_config) {
    say_differences(arguments, loaded);
  }
  const BlasInfo blas = prepare_blas();
  expect_available(arguments, config, directory);
  // The data comes first, and the weights: when something is wrong with them, nothing has been
  // made, and nothing overwritten.
  const bool tokenizers_kept = arguments.resume && has_tokenizers(directory);
  const TaskOptions data = own_config ? find_run_data({directory}, config.task, arguments.data)
                                      : find_config_data(arguments.config, config.task);
  const Task task =
      make_task(data, config.seed, tokenizers_kept ? directory : std::filesystem::path());
  std::ranges::for_each(task.splits, say_unknown);
  plan_run(config, task);  // what is wrong shows before anything is made
  if (!arguments.resume) {
    check_initial_weights(config, task);
  }
  const RunDirectory run = arguments.resume ? RunDirectory::open(directory)
                                            : RunDirectory::create(directory, arguments.overwrite);
  log_to_file(run.files().log());
  try {
    const RunEnd end = train_into(run, arguments, loaded, data, task, blas, console);
    return finish_run(run, arguments, config, task, end);
  } catch (const std::exception& error) {
    console->live("");
    log_to_file_only(fmt::format("error: {}", error.what()));
    throw;
  }
}

}  // namespace

void add_train_command(CLI::App& program, Outcome& outcome) {
  CLI::App* command = program.add_subcommand("train", "Train a model from a config file");
  const auto arguments = std::make_shared<TrainArguments>();
  command->add_option("config", arguments->config, "Config file, YAML or JSON")->required();
  command->add_option("--run", arguments->run, "Run directory; by default runs/<config name>");
  add_set_option(*command, arguments->overrides);
  add_threads_option(*command, arguments->threads,
                     "Worker threads; they change the time, not the result");
  auto* resume = command->add_flag(
      "--resume", arguments->resume,
      "Go on with the run from its newest checkpoint, with the config it was started with");
  command->add_flag("--overwrite", arguments->overwrite, "Replace an earlier run")
      ->excludes(resume);
  add_data_option(*command, arguments->data)->needs(resume);
  command->add_flag("--no-report", arguments->no_report,
                    "Write no report.html at the end, whatever run.report says");
  command->callback([arguments, &outcome] { outcome.exit_code = train(*arguments); });
}

}  // namespace tapehead
