#include "train/loop/training.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/files/files.hpp"
#include "core/memory/process_memory.hpp"
#include "core/shown.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/evaluation/references.hpp"
#include "train/experiment.hpp"
#include "train/loop/initial_weights.hpp"
#include "train/loop/rank_agreement.hpp"
#include "train/loop/run_inputs.hpp"
#include "train/model_training.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/data.hpp"
#include "train/run/run_record.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The file may have changed since, or may not be a complete config, because some options came from
// `--set`.
void say_differences(const TrainRequest& request, const LoadedConfig& run) {
  std::vector<std::string> differing;
  try {
    differing = differences(run, load_config(request.config).config);
  } catch (const ConfigError& error) {
    differing.emplace_back(error.what());
  }
  if (!differing.empty()) {
    spdlog::info("the run continues with its own config, not with {} (--set can change it):\n  {}",
                 request.config.string(), join(differing, "\n  "));
  }
}

// Throws ConfigError if an override changes what lies behind the run already.
void expect_kept(const RunFiles& run, const LoadedConfig& loaded) {
  const std::vector<std::string> changed =
      differences(load_config(run.config()).config, loaded.config,
                  [](std::string_view, const Field& field) { return field.kept_by_resume; });
  if (!changed.empty()) {
    throw ConfigError(fmt::format(
        "--set: run {0} keeps how it began when it is resumed ({1}); start another run, from its "
        "weights if you like: --set model.init_from={0} --run DIR",
        run.directory.string(), join(changed, "; ")));
  }
}

// Throws IoError if a run without a checkpoint has other data than it began with: its vocabulary is
// of that data. A checkpoint knows its data itself.
void expect_data_of_start(const RunFiles& run, const TaskOptions& data) {
  if (std::filesystem::exists(run.checkpoints()) &&
      !Checkpoints(run.checkpoints(), "step").steps().empty()) {
    return;
  }
  FileDigests digests;
  expect_data_of(run, data, digests,
                 "restore the file (--data DIR names the directory of the data), or start another "
                 "run with --run DIR");
}

constexpr WaysOut ways_out{.resume = true};

// Throws if the run would replace something that it is made from, or would replace any run without
// being asked to.
void expect_available(const TrainRequest& request, const LoadedConfig& loaded,
                      const std::filesystem::path& directory) {
  if (request.resume || !request.ranks->first()) {
    return;
  }
  RunDirectory::expect_available(directory, request.overwrite, ways_out);
  if (request.overwrite) {
    RunDirectory::expect_keeps(directory, inputs_of_config(loaded));
  }
}

// Other kernels round otherwise.
void say_if_bits_change(const std::vector<RunStart>& starts) {
  if (starts.size() < 2) {
    return;
  }
  if (const std::string differing = differences(starts.end()[-2], starts.back());
      !differing.empty()) {
    spdlog::warn("from here on the run is not the same to the bit as one without a break: {}",
                 differing);
  }
}

// The record of a run that starts or resumes: it has no end any more, and includes changes by
// `--set`.
RunRecord begin_record(const RunFiles& files, const TrainRequest& request,
                       const LoadedConfig& loaded, const BlasInfo& blas, Index step) {
  RunRecord record;
  if (request.resume) {
    record = read_record(files.record()).value_or(RunRecord{});
  }
  const bool first = record.starts.empty();
  for (const auto& [option, origin] : loaded.origins) {
    if (first || origin == "--set") {
      record.origins[option] = origin;
    }
  }
  record.starts.push_back({.step = step,
                           .version = std::string(version()),
                           .processor = processor_name(),
                           .level = std::string(kernel_level()),
                           .kernels = blas.kernels,
                           .threads = request.threads,
                           .ranks = request.ranks->count()});
  say_if_bits_change(record.starts);
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

// What a run directory has before the first step.
void write_start(const Trained& trained, const TaskOptions& data) {
  const Config& config = trained.loaded.config;
  const Task& task = trained.task;
  const RunFiles& files = trained.files;
  write_run_data(files, config.task, data);
  write_file_atomically(files.config(), dump_config(config));
  save_texts(task, files.directory);
  if (!has_tokenizers(files.directory)) {
    save_tokenizers({task.source_tokenizer, task.target_tokenizer}, files.directory);
  }
}

RunEnd train_into(const Trained& trained, const TrainRequest& request, const TaskOptions& data,
                  const BlasInfo& blas) {
  const RunFiles& files = trained.files;
  TrainingRun training(trained.loaded.config, trained.task, files, blas, request);
  if (!request.ranks->first()) {
    return training.run();
  }
  write_start(trained, data);  // only now, because a resumed run has accepted it
  const RunRecord record = begin_record(files, request, trained.loaded, blas, training.step());
  RunEnd end = training.run();
  if (end.signal == 0) {
    end_record(files, record, end);
  }
  return end;
}

}  // namespace

Trained train(const TrainRequest& request) {
  const std::filesystem::path directory =
      request.run.empty() ? std::filesystem::path("runs") / request.config.stem() : request.run;
  // A resumed run uses the config that it stored, changed by the overrides.
  const RunFiles before{directory};
  const bool own_config = request.resume && std::filesystem::exists(before.config());
  LoadedConfig loaded =
      load_config(own_config ? find_run(directory).config() : request.config, request.overrides);
  check_frozen(loaded);
  const Config& config = loaded.config;
  if (own_config) {
    say_differences(request, loaded);
    expect_kept(before, loaded);
  }
  const BlasInfo blas = prepare_blas(request.threads);
  expect_available(request, loaded, directory);
  // Data and weights come first, so that if something is wrong with them, nothing has been created
  // or overwritten yet.
  const bool tokenizers_kept = request.resume && has_tokenizers(directory);
  const TaskOptions data = own_config ? find_run_data(before, config.task, request.data)
                                      : find_config_data(request.config, config.task);
  if (own_config && request.ranks->first()) {
    expect_data_of_start(before, data);
  }
  Task task = make_task(config, data, tokenizers_kept ? directory : std::filesystem::path());
  for (const Split& split : task.splits) {
    say_unknown(split);
    if (split.name != "train") {  // its outputs are not written
      say_cut_references(split, config);
    }
  }
  plan_run(config, task);  // finds mistakes before anything is created
  Ranks& ranks = *request.ranks;
  if (!request.resume && ranks.first()) {
    check_initial_weights(config, task);
  }
  expect_same_training(ranks, config, task, blas);
  Trained trained{.files = {directory}, .loaded = std::move(loaded), .task = std::move(task)};
  if (ranks.first()) {
    trained.directory.emplace(request.resume
                                  ? RunDirectory::open(directory)
                                  : RunDirectory::create(directory, request.overwrite, ways_out));
    trained.log.emplace(trained.files.log());
  }
  try {
    trained.end = train_into(trained, request, data, blas);
  } catch (const std::exception& error) {
    log_to_file_only(fmt::format("error: {}", plain_message(error)));
    throw;
  }
  return trained;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
