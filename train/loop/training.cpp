#include "train/loop/training.hpp"

#include <spdlog/spdlog.h>

#include "core/files/process.hpp"
#include "core/tape/anomaly.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/options/application.hpp"
#include "train/output/text_table.hpp"
#include "train/plan/plan_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Logs how the given file, which may be no complete config, differs from the run's config. Throws
// ConfigError if an override changes options whose effects the run already contains.
void compare_configs(const TrainRequest& request, const RunFiles& run, const LoadedConfig& loaded) {
  std::vector<std::string> differing;
  try {
    differing = differences(loaded, load_config(request.config).config);
  } catch (const ConfigError& error) {
    differing.emplace_back(error.what());
  }
  if (!differing.empty()) {
    spdlog::info("the run continues with its own config, not with {} (--set can change it):\n  {}",
                 request.config.string(), join(differing, "\n  "));
  }
  const auto kept = [](std::string_view, const Field& field) { return field.kept_by_resume; };
  const auto changed = differences(load_config(run.config()).config, loaded.config, kept);
  if (!changed.empty()) {
    throw ConfigError(
        "--set: a resume of run {0} cannot change these options ({1}); start another run, from its "
        "weights if you like: --set model.init_from={0} --run DIR",
        run.directory.string(), join(changed, "; "));
  }
}

// The table at the end of a training, and commands to try next.
std::string end_report(const Config& config, const std::string& run, const std::string& checkpoint,
                       const RunEnd& end) {
  const bool tested = end.tests.front().first != "validation";
  const std::string program = program_path();
  return fmt::format("trained {} in {}; {} of {}:\n{}\nnext:\n  {} evaluate {}{}\n  {} {} {}",
                     counted(end.step, "step"), format_duration(end.seconds), checkpoint, run,
                     evaluation_table(end.tests), program, shell_word(run),
                     tested ? "" : " --split validation", program, use_of(config).command,
                     shell_word(run));
}

}  // namespace

TrainingRun::TrainingRun(const Config& config, const Task& task, const RunPlan& plan, RunSink& sink,
                         const BlasInfo& blas, const TrainRequest& request)
    : plan_(plan),
      config_(config),
      task_(task),
      request_(request),
      sink_(sink),
      workers_(request.threads),
      team_(sink.team(workers_)),
      model_(config, task),
      open_heads_(model_.transformer),
      loss_(training_loss(model_, config)),
      trainer_(trainer_of(model_, config, team_, plan_.total_steps)),
      batches_(config_, task) {
  auto& every = config_.evaluation.every;
  every = every.value_or(plan_.steps_per_epoch);
  config_.training.checkpoint_every = config_.training.checkpoint_every.value_or(*every);
  const RunSink::Begin begin = sink_.begin(config_, task, state(), model_);
  position_ = begin.position;
  elapsed_ = begin.elapsed;
  best_ = begin.best;
  sink_.go_on_from(position_.step, config, finished());
  announce(blas);
}

void TrainingRun::announce(const BlasInfo& blas) const {
  say_slow_products(config_.training.precision);
  const TrainingEpoch epoch =
      training_epoch(task_, config_.training.batching(), config_.seed, position_.epoch);
  auto parts =
      model_parts(model_.transformer, model_.store,
                  mean_rows(*epoch.source, plan_.steps_per_epoch, config_.training.memory));
  measure_activations(parts, model_, config_, epoch.batch(largest_batch(epoch)));
  spdlog::info("{}", start_table({.config = config_,
                                  .task = task_,
                                  .store = model_.store,
                                  .blas = blas,
                                  .threads = {workers_.threads(), request_.threads_from},
                                  .exchange = sink_.row(config_.training.shards.value_or(1),
                                                        trainer_.bytes_sent()),
                                  .run_plan = plan_,
                                  .run = sink_.files().directory.string(),
                                  .parts = parts}));
  say_copied_heads(config_.model);
}

bool TrainingRun::as_long_as_planned() const {
  const TrainingOptions& training = config_.training;
  return (training.steps && position_.step >= *training.steps) ||
         (training.epochs && position_.epoch >= *training.epochs);
}

bool TrainingRun::finished() const {
  const std::optional<double>& minutes = config_.training.minutes;
  return as_long_as_planned() || (minutes && elapsed_ >= 60 * *minutes) ||
         out_of_patience(config_, position_);
}

StepStats TrainingRun::train_step() {
  const std::vector<Batch> batches = batches_.next(position_);
  try {
    return trainer_.step(batches, loss_);
  } catch (const NumericError& error) {
    throw numeric_error(
        position_.step + 1,
        error.what() + sink_.keep_for_replay({.config = config_,
                                              .source_vocabulary = task_.source_tokenizer->size(),
                                              .target_vocabulary = task_.target_tokenizer->size(),
                                              .step = position_.step + 1,
                                              .batches = batches,
                                              .memory = trainer_.memory() == nullptr
                                                            ? Tensor()
                                                            : trainer_.memory()->committed()},
                                             model_.store));
  }
}

StepReport TrainingRun::report_of(const StepStats& stats, Index epoch, double seconds) const {
  return {.step = position_.step,
          .epoch = epoch,
          .loss = stats.loss,
          .learning_rate = stats.learning_rate,
          .gradient_norm = stats.gradient_norm,
          .open_heads = open_heads_.expected(model_.store),
          .gated_heads = open_heads_.gated(),
          .tokens = stats.tokens,
          .step_seconds = seconds,
          .elapsed = elapsed_};
}

RunEnd TrainingRun::run() {
  const StopSignals signals;
  std::optional<AnomalyGuard> look;
  if (config_.run.anomaly) {
    look.emplace();
  }
  const Index planned = plan_.total_steps;
  const std::optional<double>& minutes = config_.training.minutes;
  Progress progress(request_.console,
                    {.total_steps = planned > 0 ? std::optional(planned) : std::nullopt,
                     .total_seconds = minutes ? std::optional(60 * *minutes) : std::nullopt,
                     .log_seconds = config_.run.log_seconds});
  int signal = trainer_.exchange().first_signal(signals.received());
  while (!finished() && signal == 0) {
    const auto begin = Clock::now();
    const Index epoch = position_.epoch + 1;
    const StepStats stats = train_step();
    ++position_.step;
    const double seconds = seconds_since(begin);
    elapsed_ = value_of_first(team_.ranks, elapsed_ + seconds);
    const StepReport report = report_of(stats, epoch, seconds);
    progress.update(report);
    if (request_.progress) {
      request_.progress(report);
    }
    after_step(stats, report.open_heads);
    signal = trainer_.exchange().first_signal(signals.received());
  }
  progress.finish();
  if (signal != 0) {
    sink_.save(state(), position_, elapsed_, false);
    return {.signal = signal, .step = position_.step, .seconds = elapsed_};
  }
  if (!as_long_as_planned()) {  // progress lines show steps and epochs
    spdlog::info("{}", out_of_patience(config_, position_)
                           ? patience_text(config_, position_)
                           : fmt::format("training.minutes: {} ends the training", *minutes));
  }
  return evaluate_tests(signals);
}

void TrainingRun::after_step(const StepStats& stats, double open_heads) {
  Json line = {
      {"step", position_.step},
      {"epoch", position_.epoch},
      {"loss", stats.loss},
      {"token_accuracy", static_cast<double>(stats.correct) / static_cast<double>(stats.tokens)},
      {"tokens", stats.tokens},
      {"learning_rate", stats.learning_rate},
      {"gradient_norm", stats.gradient_norm}};
  if (open_heads_.gated() > 0) {
    line["penalty"] = stats.penalty;
    line["open_heads"] = open_heads;
  }
  sink_.write_step(line, position_.step, elapsed_);
  const bool last = finished();
  if (last || due(*config_.evaluation.every)) {
    validate();
  }
  if (last || finished() || due(*config_.training.checkpoint_every)) {
    sink_.save(state(), position_, elapsed_, true);
  }
}

// Evaluates the weights that a user of the run gets by default.
RunEnd TrainingRun::evaluate_tests(const StopSignals& signals) {
  const fs::path checkpoint = sink_.load_final_weights(model_.store);
  RunEnd end{.step = position_.step, .seconds = elapsed_};
  for (const Split& split : final_splits(task_)) {
    end.signal = trainer_.exchange().first_signal(signals.received());
    if (end.signal != 0) {
      return end;
    }
    spdlog::info("testing on {} ({})", split.name, counted(split.size(), "example"));
    naming(checkpoint.string(), [&] {
      end.tests.emplace_back(
          split.name, evaluate(model_, task_, split, config_.evaluation, split.outputs(), team_));
    });
    show_samples(split, end.tests.back().second, config_.evaluation.samples);
  }
  spdlog::info("{}", end_report(config_, sink_.files().directory.string(),
                                checkpoint.filename().string(), end));
  return end;
}

Trained train(const TrainRequest& request) {
  const fs::path directory =
      request.run.empty() ? fs::path("runs") / request.config.stem() : request.run;
  // A resumed run uses its stored config, with the overrides.
  const RunFiles before{directory};
  const bool own_config = request.resume && fs::exists(before.config());
  LoadedConfig loaded = own_config ? load_config(find_run(directory).config(), request.overrides)
                                   : load_chosen(request.config, request.overrides);
  if (own_config && request.overrides.empty()) {
    loaded.written.reset();  // keep the run's written.yaml unchanged
  }
  check_frozen(loaded);
  const Config& config = loaded.config;
  if (own_config) {
    compare_configs(request, before, loaded);
  }
  const BlasInfo blas = prepare_blas(request.threads);
  std::unique_ptr<RunSink> sink = run_sink(
      {.files = before, .resume = request.resume, .overwrite = request.overwrite}, *request.ranks);
  sink->expect_available(loaded);
  // Checks data and weights before anything is created.
  const bool tokenizers_kept = request.resume && has_tokenizers(directory);
  const TaskOptions data =
      own_config
          ? find_run_data(before, config.task, {request.data.directory, !request.overrides.empty()})
          : find_config_data(request.config, config.task);
  if (own_config) {
    sink->expect_data_of_start(data);
  }
  Task task = make_task(config, data, tokenizers_kept ? directory : fs::path());
  for (const Split& split : task.splits) {
    say_unknown(split);
    if (split.name != "train") {  // training outputs are not written
      say_cut_references(split, config.evaluation);
    }
  }
  const RunPlan plan = plan_run(config, task);  // finds mistakes before anything is created
  sink->open(config, task, blas);
  Trained trained{before, std::move(sink), std::move(loaded), std::move(task)};
  try {
    TrainingRun training(trained.loaded.config, trained.task, plan, *trained.sink, blas, request);
    trained.sink->start(trained.loaded, trained.task, data,  // begin() has checked it at a resume
                        {.step = training.step(),
                         .version = std::string(version()),
                         .processor = processor_name(),
                         .level = std::string(kernel_level()),
                         .kernels = blas.kernels,
                         .precision = std::string(name_of(config.training.precision)),
                         .unit = std::string(unit_name(config.training.precision)),
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
