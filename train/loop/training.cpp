#include "train/loop/training.hpp"

#include <spdlog/spdlog.h>

#include "core/shown.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/evaluation/right_outputs.hpp"
#include "train/experiment.hpp"
#include "train/run/run_record.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The file may have changed, or may not be a complete config, because options came from `--set`.
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
    throw ConfigError(
        "--set: run {0} keeps how it began when it is resumed ({1}); start another run, from its "
        "weights if you like: --set model.init_from={0} --run DIR",
        run.directory.string(), join(changed, "; "));
  }
}

}  // namespace

Trained train(const TrainRequest& request) {
  const std::filesystem::path directory =
      request.run.empty() ? std::filesystem::path("runs") / request.config.stem() : request.run;
  // A resumed run uses the config that it stored, changed by the overrides.
  const RunFiles before{directory};
  const bool own_config = request.resume && std::filesystem::exists(before.config());
  LoadedConfig loaded = own_config ? load_config(find_run(directory).config(), request.overrides)
                                   : load_chosen(request.config, request.overrides);
  if (own_config && request.overrides.empty()) {
    loaded.written.reset();  // what was written for the run stays as it is
  }
  check_frozen(loaded);
  const Config& config = loaded.config;
  if (own_config) {
    say_differences(request, loaded);
    expect_kept(before, loaded);
  }
  const BlasInfo blas = prepare_blas(request.threads);
  std::unique_ptr<RunSink> sink = run_sink(
      {.files = before, .resume = request.resume, .overwrite = request.overwrite}, *request.ranks);
  sink->expect_available(loaded);
  // Data and weights come first: if something is wrong with them, nothing has been created yet.
  const bool tokenizers_kept = request.resume && has_tokenizers(directory);
  const TaskOptions data = own_config ? find_run_data(before, config.task, request.data)
                                      : find_config_data(request.config, config.task);
  if (own_config) {
    sink->expect_data_of_start(data);
  }
  Task task = make_task(config, data, tokenizers_kept ? directory : std::filesystem::path());
  for (const Split& split : task.splits) {
    say_unknown(split);
    if (split.name != "train") {  // its outputs are not written
      say_cut_references(split, config.evaluation);
    }
  }
  plan_run(config, task);  // finds mistakes before anything is created
  sink->open(config, task, blas);
  Trained trained{.files = before,
                  .sink = std::move(sink),
                  .loaded = std::move(loaded),
                  .task = std::move(task)};
  try {
    TrainingRun training(trained.loaded.config, trained.task, *trained.sink, blas, request);
    trained.sink->start(trained.loaded, trained.task, data,  // a resumed run has accepted it
                        {.step = training.step(),
                         .version = std::string(version()),
                         .processor = processor_name(),
                         .level = std::string(kernel_level()),
                         .kernels = blas.kernels,
                         .threads = request.threads});
    trained.end = training.run();
    if (trained.end.signal == 0) {
      trained.sink->end(trained.end);
    }
  } catch (const std::exception& error) {
    log_to_file_only(fmt::format("error: {}", plain_message(error)));
    throw;
  }
  return trained;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
