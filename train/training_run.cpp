#include "train/training_run.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/anomaly.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/finite.hpp"
#include "datasets/loader.hpp"
#include "train/activations.hpp"
#include "train/config/config.hpp"
#include "train/evaluation_report.hpp"
#include "train/initial_weights.hpp"
#include "train/kept_files.hpp"
#include "train/model_training.hpp"
#include "train/replay.hpp"
#include "train/run/program_path.hpp"
#include "train/start_table.hpp"
#include "train/test_splits.hpp"
#include "train/weight_average.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Config with_intervals(Config config, Index steps_per_epoch) {
  config.evaluation.every = config.evaluation.every.value_or(steps_per_epoch);
  config.training.checkpoint_every =
      config.training.checkpoint_every.value_or(*config.evaluation.every);
  return config;
}

std::string in_words(const Batching& batching) {
  return fmt::format("training.batch_tokens {}, batch_lengths {}", batching.tokens,
                     EnumNames<BatchLengths>::names[static_cast<std::size_t>(batching.lengths)]);
}

NumericError numeric_error(Index step, const std::string& what) {
  return NumericError(fmt::format(
      "step {}: {}\nthe last checkpoint is as it was (a lower training.learning_rate, or "
      "a longer training.warmup, may help)",
      step, what));
}

// What the action gives; a NumericError that it throws is told with the step.
template <class Action>
auto with_step(Index step, const Action& action) {
  try {
    return action();
  } catch (const NumericError& error) {
    throw numeric_error(step, error.what());
  }
}

// What is written to a checkpoint is finite: nothing good gives way to something bad.
void expect_finite_weights(const ParameterStore& store, Index step) {
  for (const NamedParameter& parameter : store.parameters()) {
    const Tensor values = store.value(parameter);
    const Index bad = first_not_finite(values);
    if (bad >= 0) {
      throw numeric_error(step, fmt::format("element {} of {} {} is {}", bad, parameter.name,
                                            parameter.shape.to_string(), values.data()[bad]));
    }
  }
}

// A run whose checkpoints hold is never to be thrown away for what is around it.
IoError none_fits(const std::filesystem::path& run, const std::vector<RefusedCheckpoint>& refused) {
  const bool lost = std::ranges::none_of(refused, &RefusedCheckpoint::holds);
  return IoError(fmt::format(
      "no checkpoint of {0} can be used; {1}", run.string(),
      lost
          ? "start again with --overwrite"
          : "its files hold, so bring back the config and the data that they belong to (--data DIR "
            "names the directory of the data), or train from its weights into another directory: "
            "--set model.init_from=" +
                run.string() + " --run DIR"));
}

}  // namespace

TrainingRun::TrainingRun(const Config& config, const Task& task, const RunDirectory& directory,
                         const BlasInfo& blas, Index threads, std::shared_ptr<Console> console,
                         bool resume)
    : plan_(plan_run(config, task)),
      config_(with_intervals(config, plan_.steps_per_epoch)),
      task_(task),
      train_(task.training_split(0)),
      files_(directory.files()),
      console_(std::move(console)),
      workers_(threads),
      model_(config, task.source_tokenizer->size(), task.target_tokenizer->size()),
      open_heads_(model_.transformer),
      identity_(
          identity_of(config, {task.source_tokenizer, task.target_tokenizer}, task.fingerprint)),
      loss_(training_loss(model_, config)),
      trainer_(trainer_of(model_, config, workers_, plan_.total_steps)),
      checkpoints_(files_.checkpoints(), "step", config.training.checkpoint_keep,
                   *config_.training.checkpoint_every),
      weights_(files_.checkpoints(), "weights", std::max<Index>(1, config.training.average_last),
               *config_.training.checkpoint_every),
      metrics_(files_.metrics()),
      times_(files_.times()) {
  position_.batching = config.training.batching();
  position_.measure = measure_of(config.evaluation);
  if (resume) {
    restore();
    train_ = task.training_split(position_.epoch);
  }
  if (position_.step == 0 && !config_.model.init_from.empty()) {
    spdlog::info("{}", load_initial_weights(config_, {task.source_tokenizer, task.target_tokenizer},
                                            model_));
  }
  if (resume) {
    keep_files(config);
  }
  metrics_.truncate_after(position_.step);
  times_.truncate_after(position_.step);
  announce(blas);
}

void TrainingRun::restore() {
  const Resumable found =
      checkpoints_.find_resumable([this](const TensorFile& file) { take_over(file); });
  for (const RefusedCheckpoint& refused : found.refused) {
    spdlog::warn("{}", refused.reason);
  }
  if (!found.newest && !found.refused.empty()) {
    throw none_fits(files_.directory, found.refused);
  }
  if (found.newest) {
    elapsed_ = read_elapsed_seconds(files_.checkpoints());
    adapt_position();
    if (position_.batch > 0) {
      begin_epoch();
    }
  }
  spdlog::info("resuming {} at step {}", files_.directory.string(), position_.step);
}

// Throws IoError where the checkpoint cannot be gone on from.
void TrainingRun::take_over(const TensorFile& checkpoint) {
  expect_identity(checkpoint, identity_);
  position_ = load_training(checkpoint, model_.store, trainer_.optimizer());
  expect_place(checkpoint);
}

// The name and the data give the position further bounds.
void TrainingRun::expect_place(const TensorFile& checkpoint) const {
  const std::string file = checkpoint.path().string();
  if (checkpoints_.file(position_.step) != checkpoint.path()) {
    throw IoError(fmt::format("cannot use {}: its metadata says that it is of step {}", file,
                              position_.step));
  }
  if (position_.batch > 0 && position_.batching == config_.training.batching()) {
    const auto batches = epoch_batches(*task_.training_split(position_.epoch), position_.batching,
                                       config_.seed, position_.epoch);
    if (position_.batch >= std::ssize(batches)) {
      throw IoError(
          fmt::format("cannot use {}: its metadata says that {} batches of an epoch of "
                      "{} are done",
                      file, position_.batch, batches.size()));
    }
  }
}

// The position is told in batches of some kind and by some metric, which `--set` may have changed.
void TrainingRun::adapt_position() {
  const Batching batching = config_.training.batching();
  if (position_.batching != batching) {
    if (position_.batch > 0) {
      ++position_.epoch;
      position_.batch = 0;
      spdlog::warn("other batches than before ({}, were {}): the rest of epoch {} is left out",
                   in_words(batching), in_words(position_.batching), position_.epoch);
    }
    position_.batching = batching;
  }
}

// What is left from the run's past and does not belong to what it is now goes: a best by another
// measure or of a later step, an average that is not to be made any more, pages about less.
void TrainingRun::keep_files(const Config& config) {
  const GoingOn training{.files = files_,
                         .identity = identity_,
                         .step = position_.step,
                         .average_last = config_.training.average_last};
  const std::string measure = measure_of(config_.evaluation);
  if (position_.measure != measure) {
    spdlog::warn("the best is looked for anew, by {}, and not by {} as before", measure,
                 position_.measure);
    position_.measure = measure;
    position_.evaluations = 0;
    position_.best_evaluation = 0;
    remove_best(files_);
  } else {
    best_ = keep_best(training, model_.store,
                      {.value = position_.best_value, .loss = position_.best_loss});
  }
  if (position_.best_evaluation == 0) {
    best_.reset();  // none of its own evaluations
  }
  keep_average(training, model_.store);
  std::error_code ignored;
  const bool same = std::filesystem::exists(files_.config(), ignored) &&
                    read_file(files_.config()) == dump_config(config);
  if (!finished() || !same) {
    remove_reports(files_);
  }
}

void TrainingRun::announce(const BlasInfo& blas) const {
  const auto parts =
      model_parts(config_.model, task_.source_tokenizer->size(), task_.target_tokenizer->size(),
                  mean_rows(*train_, plan_.steps_per_epoch));
  const auto batches =
      epoch_batches(*train_, config_.training.batching(), config_.seed, position_.epoch);
  const auto activations = activations_of(
      model_, config_, make_batch(*train_, batches[largest_batch(*train_, batches)]), parts);
  spdlog::info("{}", start_table({.config = config_,
                                  .task = task_,
                                  .store = model_.store,
                                  .blas = blas,
                                  .threads = workers_.threads(),
                                  .steps_per_epoch = plan_.steps_per_epoch,
                                  .run = files_.directory.string(),
                                  .parts = {.parts = parts,
                                            .training = config_.training,
                                            .activations = activations,
                                            .threads = workers_.threads()}}));
}

void TrainingRun::begin_epoch() {
  train_ = task_.training_split(position_.epoch);
  batches_ = epoch_batches(*train_, config_.training.batching(), config_.seed, position_.epoch);
}

std::vector<Batch> TrainingRun::next_batches() {
  if (position_.batch == 0) {
    begin_epoch();
  }
  std::vector<Batch> group;
  const auto count = static_cast<Index>(batches_.size());
  const Index end = std::min(count, position_.batch + config_.training.accumulate);
  for (Index i = position_.batch; i < end; ++i) {
    group.push_back(make_batch(*train_, batches_[static_cast<std::size_t>(i)]));
  }
  position_.batch = end == count ? 0 : end;
  position_.epoch += end == count ? 1 : 0;
  return group;
}

bool TrainingRun::as_long_as_planned() const {
  const TrainingOptions& training = config_.training;
  return (training.steps && position_.step >= *training.steps) ||
         (training.epochs && position_.epoch >= *training.epochs);
}

bool TrainingRun::finished() const {
  const std::optional<double>& minutes = config_.training.minutes;
  return as_long_as_planned() || (minutes && elapsed_ >= 60 * *minutes) || waiting().over();
}

Waiting TrainingRun::waiting() const {
  return {.metric = config_.evaluation.metric,
          .patience = config_.training.patience,
          .evaluations = position_.evaluations,
          .best_evaluation = position_.best_evaluation,
          .best_value = position_.best_value};
}

// Steps and epochs are told with every line of progress, time and patience are not.
void TrainingRun::say_why_it_ends() const {
  if (as_long_as_planned()) {
    return;
  }
  if (waiting().over()) {
    spdlog::info("{}", patience_text(waiting()));
  } else {
    spdlog::info("training.minutes: {} ends the training", *config_.training.minutes);
  }
}

StepStats TrainingRun::train_step() {
  const std::vector<Batch> batches = next_batches();
  try {
    return trainer_.step(batches, loss_);
  } catch (const NumericError& error) {
    throw numeric_error(position_.step + 1, error.what() + keep_for_replay(batches));
  }
}

// The command that goes through the step again, once it is kept.
std::string TrainingRun::keep_for_replay(const std::vector<Batch>& batches) const {
  try {
    write_replay(files_.replay(),
                 {.config = config_,
                  .source_vocabulary = task_.source_tokenizer->size(),
                  .target_vocabulary = task_.target_tokenizer->size(),
                  .step = position_.step + 1,
                  .batches = batches},
                 model_.store);
  } catch (const IoError& error) {
    return fmt::format("\nno replay was kept: {}", error.what());
  }
  return fmt::format("\nthe step once more: {} replay {}", program_path(),
                     shell_word(files_.replay().string()));
}

RunEnd TrainingRun::run() {
  const StopSignals signals;
  std::optional<AnomalyGuard> look;
  if (config_.run.anomaly) {
    look.emplace();
  }
  const Index planned = plan_.total_steps;
  Progress progress(console_, {.total_steps = planned > 0 ? std::optional(planned) : std::nullopt,
                               .total_seconds = config_.training.minutes
                                                    ? std::optional(60 * *config_.training.minutes)
                                                    : std::nullopt,
                               .log_seconds = config_.run.log_seconds});
  while (!finished() && signals.received() == 0) {
    const auto begin = Clock::now();
    const Index epoch = position_.epoch + 1;
    const StepStats stats = train_step();
    ++position_.step;
    const double seconds = seconds_since(begin);
    elapsed_ += seconds;
    progress.update({.step = position_.step,
                     .epoch = epoch,
                     .loss = stats.loss,
                     .learning_rate = stats.learning_rate,
                     .gradient_norm = stats.gradient_norm,
                     .open_heads = open_heads_.expected(model_.store),
                     .gated_heads = open_heads_.gated(),
                     .tokens = stats.tokens,
                     .step_seconds = seconds,
                     .elapsed = elapsed_});
    after_step(stats);
  }
  progress.finish();
  if (signals.received() != 0) {
    save_checkpoint(false);
    return {.signal = signals.received(), .step = position_.step, .seconds = elapsed_, .tests = {}};
  }
  say_why_it_ends();
  auto tests = evaluate_tests(signals);
  return {.signal = tests ? 0 : signals.received(),
          .step = position_.step,
          .seconds = elapsed_,
          .tests = std::move(tests).value_or(TestResults{})};
}

void TrainingRun::after_step(const StepStats& stats) {
  nlohmann::ordered_json line = {
      {"step", position_.step},
      {"epoch", position_.epoch},
      {"loss", stats.loss},
      {"token_accuracy", static_cast<double>(stats.correct) / static_cast<double>(stats.tokens)},
      {"tokens", stats.tokens},
      {"learning_rate", stats.learning_rate},
      {"gradient_norm", stats.gradient_norm}};
  if (open_heads_.gated() > 0) {
    line["penalty"] = stats.penalty;
    line["open_heads"] = open_heads_.expected(model_.store);
  }
  metrics_.write(line);
  times_.write({{"step", position_.step}, {"seconds", elapsed_}});
  const bool last = finished();
  if (last || due(*config_.evaluation.every)) {
    evaluate_validation();
  }
  if (last || finished() || due(*config_.training.checkpoint_every)) {
    save_checkpoint(true);
  }
}

void TrainingRun::evaluate_validation() {
  expect_finite_weights(model_.store, position_.step);
  const Split& split = task_.split("validation");
  const EvaluationOptions& options = config_.evaluation;
  EvaluationOptions greedy = options;
  greedy.beam = 1;
  const auto all = static_cast<Index>(split.examples.size());
  const Index decoded = options.decode_examples == 0 ? all : std::min(all, options.decode_examples);
  const Evaluation result = with_step(position_.step, [&] {
    return evaluate(model_.transformer, model_.store, task_, split, greedy,
                    options.decode ? decoded : 0, workers_);
  });
  if (!std::isfinite(result.loss)) {
    throw numeric_error(position_.step, fmt::format("the {} loss is {}", split.name, result.loss));
  }
  nlohmann::ordered_json line = {{"step", position_.step}, {"split", split.name}};
  line.update(evaluation_json(result));
  line.erase("seconds");
  metrics_.write(line);
  const bool best = note_evaluation({.value = result.value(options.metric), .loss = result.loss});
  spdlog::info("step {}: {}{}", position_.step, evaluation_line(split.name, result),
               gain_text(waiting(), best));
  show_samples(split, result);
}

// Counts an evaluation; keeps the weights, and returns true, where they are the best.
bool TrainingRun::note_evaluation(const BestWeights& now) {
  const Metric metric = config_.evaluation.metric;
  ++position_.evaluations;
  const auto gains_on = [&](double value) {
    return std::isfinite(now.value) && is_better(metric, now.value, value);
  };
  // Among evaluations as good as each other the lowest loss is kept; patience sees no gain in it.
  const auto beats = [&](const BestWeights& other) {
    return gains_on(other.value) || (now.value == other.value && now.loss < other.loss);
  };
  const bool first = std::isfinite(now.value) && position_.best_evaluation == 0;
  const bool gained = first || gains_on(position_.best_value);
  const BestWeights before{.value = position_.best_value, .loss = position_.best_loss};
  if (gained || beats(before)) {
    position_.best_loss = now.loss;
  }
  if (gained) {
    position_.best_value = now.value;
    position_.best_evaluation = position_.evaluations;
  }
  const bool best = first || (best_ ? beats(*best_) : std::isfinite(now.value));
  if (best) {
    best_ = now;
    write_tensor_file(best_checkpoint(files_.checkpoints()), weight_entries(model_.store),
                      best_metadata(identity_, position_.step, now));
  }
  return best;
}

void TrainingRun::show_samples(const Split& split, const Evaluation& evaluation) const {
  const auto count = std::min<std::size_t>(evaluation.outputs.size(),
                                           static_cast<std::size_t>(config_.evaluation.samples));
  for (std::size_t i = 0; i < count; ++i) {
    spdlog::info("    {}\n      -> {}{}", split.source_texts[i], evaluation.outputs[i],
                 evaluation.right[i] ? "" : fmt::format("\n      != {}", split.references[i]));
  }
}

void TrainingRun::save_checkpoint(bool regular) {
  expect_finite_weights(model_.store, position_.step);
  // Weights for the average first: when a kill comes between the two, the resumed run writes the
  // same ones again.
  if (regular && config_.training.average_last > 0) {
    Metadata metadata = identity_.facts;
    metadata["step"] = std::to_string(position_.step);
    weights_.save(position_.step, weight_entries(model_.store), metadata);
    write_weight_average(weights_.candidates(), model_.store, metadata,
                         average_checkpoint(files_.checkpoints()));
  }
  checkpoints_.save(position_.step, training_entries(model_.store, trainer_.optimizer()),
                    training_metadata(identity_, position_));
  write_elapsed_seconds(files_.checkpoints(), elapsed_);
}

std::optional<TestResults> TrainingRun::evaluate_tests(const StopSignals& signals) {
  const SavedRun saved(files_.directory, "");
  TestResults results;
  for (const Split& split : final_splits(task_)) {
    if (signals.received() != 0) {
      return std::nullopt;
    }
    spdlog::info("testing on {} ({} examples)", split.name, split.examples.size());
    results.emplace_back(split.name, saved.use([&] {
      return evaluate(saved.model.transformer, saved.model.store, task_, split, config_.evaluation,
                      static_cast<Index>(split.examples.size()), workers_);
    }));
    show_samples(split, results.back().second);
  }
  spdlog::info("{}", end_report({.run = files_.directory.string(),
                                 .checkpoint = saved.checkpoint.filename().string(),
                                 .steps = position_.step,
                                 .seconds = elapsed_,
                                 .results = results}));
  return results;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
