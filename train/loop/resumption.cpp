// Resumption: the step at which a training continues, and the files that still belong to it.
#include "train/loop/run_sink.hpp"

#include <spdlog/spdlog.h>

#include "core/text.hpp"
#include "train/metrics/metric_kind.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::string in_words(const Batching& batching) {
  const std::string of_lanes =
      batching.memory > 0
          ? fmt::format(", memory {}, accumulate {}", batching.memory, batching.batches_of_step)
          : "";
  return fmt::format("training.batch_tokens {}, batch_lengths {}{}", batching.tokens,
                     name_of(batching.lengths), of_lanes);
}

bool holds(const fs::path& checkpoint) {
  try {
    const TensorFile file(checkpoint);
    return true;
  } catch (const SystemError&) {
    return fs::exists(status_of(checkpoint));
  } catch (const IoError&) {
    return false;
  }
}

// Tells what the user must restore to use the intact checkpoints.
std::string what_to_restore(const RunFiles& run, const Config& config) {
  if (fs::exists(run.config())) {
    const auto of_weights = meaning_of(config);
    const auto changed = differences(load_config(run.config()).config, config,
                                     [&](std::string_view option, const Field&) {
                                       return option == "seed" || option.starts_with("task.") ||
                                              of_weights.contains(std::string(option));
                                     });
    if (!changed.empty()) {
      return fmt::format("but --set has changed the model or its data ({}): leave out that --set",
                         join(changed, "; "));
    }
  }
  return why_no_files(run, config.task).empty()
             ? "so restore the config and the data that they belong to (--data DIR names the "
               "directory of the data)"
             : "so restore the config that they belong to";
}

// Throws IoError if there are refused checkpoints, or if a start at step 0 would replace weights
// that it does not produce again: of an imported or pruned model, or of a finished training. Does
// not advise --overwrite while the run has intact checkpoints or other weights.
void expect_nothing_lost(const RunFiles& run, const Config& config,
                         const std::vector<RefusedCheckpoint>& refused) {
  if (std::ranges::any_of(refused, &RefusedCheckpoint::unread)) {
    throw IoError(
        "no checkpoint of {} can be used; repair what the messages above "
        "name, and repeat the command",
        run.directory.string());
  }
  const bool has_weights = holds(run.best()) || holds(run.average());
  const std::string from_its_weights =
      fmt::format("start another run from its weights: --set model.init_from={} --run DIR",
                  run.directory.string());
  if (!refused.empty()) {
    std::string advice = has_weights ? from_its_weights : "start again with --overwrite";
    if (std::ranges::any_of(refused, &RefusedCheckpoint::holds)) {
      advice = fmt::format("its checkpoints are intact, {}, or {}", what_to_restore(run, config),
                           from_its_weights);
    }
    throw IoError("no checkpoint of {} can be used; {}", run.directory.string(), advice);
  }
  const auto record = read_record(run.record());
  const bool begun = record && !record->starts.empty() && !record->end;
  if (!begun && has_weights) {
    throw IoError("{} has weights, but no checkpoint from which a training can continue; {}",
                  run.directory.string(), from_its_weights);
  }
}

// Checks the position against the file's name and the data.
void expect_place(const Config& config, const Task& task, const Checkpoints& checkpoints,
                  const TensorFile& checkpoint, const TrainingPosition& position) {
  if (checkpoints.file(position.step) != checkpoint.path()) {
    throw checkpoint.unusable("its metadata says that it is of step {}", position.step);
  }
  if (position.batch > 0 && position.batching == config.training.batching()) {
    const auto batches =
        training_epoch(task, position.batching, config.seed, position.epoch).batches;
    if (position.batch >= std::ssize(batches)) {
      throw checkpoint.unusable("its metadata says that {} batches of an epoch of {} are done",
                                position.batch, batches.size());
    }
  }
}

// `position` counts batches: if `--set` has changed them, skips the rest of the epoch.
void adapt(const Batching& batching, TrainingPosition& position) {
  if (position.batching != batching) {
    if (position.batch > 0) {
      ++position.epoch;
      position.batch = 0;
      spdlog::warn("the batches have changed ({}, were {}): the rest of epoch {} is skipped",
                   in_words(batching), in_words(position.batching), position.epoch);
    }
    position.batching = batching;
  }
}

// Whether metrics.jsonl has an evaluation at this step with exactly the best value and loss.
bool is_at_best(const RunFiles& run, Metric metric, const TrainingPosition& position) {
  const std::string name(kind_of(metric).name);
  bool found = false;
  for_each_line(run.metrics(), [&](const JsonObject& line) {
    found = found || (line.has("split") && line.text("split") == "validation" &&
                      line.count("step") == position.step &&
                      line.number(name.c_str()) == position.best.value &&
                      line.number("loss") == position.best.loss);
  });
  return position.best_evaluation > 0 && found;
}

struct GoingOn {
  const RunFiles& files;
  const Identity& identity;
  const ParameterStore& store;
  Index step;
};

// The metadata of a file with weights.
struct Weights {
  Index step = 0;
  Index averaged = 1;
  std::optional<BestWeights> best{};
};

// Returns nullopt and removes the file if it does not belong to the training: if it is invalid, of
// a later step, of another model or of other data.
std::optional<Weights> keep_own(const GoingOn& training, const fs::path& path) {
  if (!fs::exists(status_of(path))) {
    return {};
  }
  try {
    const TensorFile file(path);
    expect_identity(file, training.identity);
    expect_weights(file, training.store);
    Weights weights{.step = metadata_number(file, "step", 0, most_counted)};
    if (file.metadata().contains("averaged")) {
      weights.averaged = metadata_number(file, "averaged", 1, most_counted);
    }
    if (file.metadata().contains("best_value")) {
      weights.best = read_best(file);
    }
    if (weights.step > training.step) {
      throw IoError("{} is of step {}, but the run continues from step {}", path.string(),
                    weights.step, training.step);
    }
    return weights;
  } catch (const SystemError&) {
    throw;  // what cannot be read now may be read later
  } catch (const IoError& error) {
    spdlog::info("{}; it is removed", error.what());
    remove_file(path);
    return {};
  }
}

// Removes saved weights and an average that do not belong to the training; all of them if nothing
// is to be averaged. Computes the average again if it does not match the saved weights.
void keep_average(const GoingOn& training, Index average_last) {
  const fs::path average = training.files.average();
  const Checkpoints weights(training.files.checkpoints(), "weights");
  if (average_last == 0) {
    std::ranges::for_each(weights.candidates(), remove_file);
    remove_file(average);
    return;
  }
  std::vector<fs::path> last;
  Index newest = 0;
  for (const Index step : weights.steps()) {
    const auto own = keep_own(training, weights.file(step));
    if (own && std::ssize(last) < average_last) {
      newest = std::max(newest, own->step);
      last.push_back(weights.file(step));
    }
  }
  const auto there = keep_own(training, average);
  const bool current = there && there->step == newest && there->averaged == std::ssize(last);
  if (!last.empty() && !current) {
    write_weight_average(last, training.store, weights_metadata(training.identity, newest),
                         average);
  }
}

}  // namespace

std::optional<TensorFile> restore_training(const Config& config, const Task& task,
                                           const RunFiles& files, const Identity& identity,
                                           const Checkpoints& checkpoints,
                                           const TrainingState& state, TrainingPosition& position) {
  Resumable found = checkpoints.find_resumable([&](const TensorFile& file) {
    expect_identity(file, identity);
    position = load_training(file, state);
    expect_place(config, task, checkpoints, file, position);
    if (state.memory != nullptr && position.batching == config.training.batching()) {
      load_memory(file, *state.memory);
    }
  });
  for (const RefusedCheckpoint& refused : found.refused) {
    spdlog::warn("{}", refused.reason);
  }
  if (!found.newest) {
    expect_nothing_lost(files, config, found.refused);
  }
  adapt(config.training.batching(), position);
  spdlog::info("resuming {} at step {}", files.directory.string(), position.step);
  if (position.step > config.training.steps.value_or(position.step)) {
    spdlog::warn("the run is past training.steps {} already", *config.training.steps);
  }
  return std::move(found.newest);
}

std::optional<BestWeights> keep_weights_of_run(const Config& config, RunSink& sink,
                                               const Identity& identity, ParameterStore& store,
                                               TrainingPosition& position) {
  const GoingOn training{
      .files = sink.files(), .identity = identity, .store = store, .step = position.step};
  const fs::path file = training.files.best();
  const std::string measure = measure_of(config.evaluation);
  std::optional<BestWeights> best;
  if (position.measure != measure) {
    spdlog::warn("the best checkpoint so far is dropped: the best is now chosen by {}, not by {}",
                 measure, position.measure);
    position.measure = measure;
    position.evaluations = 0;
    position.best_evaluation = 0;
    remove_file(file);
  } else {
    if (const auto own = keep_own(training, file)) {
      best = own->best.value_or(position.best);
    }
    if (!best && is_at_best(sink.files(), config.evaluation.metric, position)) {
      spdlog::info("the weights of step {} are the best so far, and are written as {} again",
                   position.step, file.string());
      sink.save_best(store, position.step, position.best);
      best = position.best;
    }
    if (!best && position.best_evaluation > 0) {
      spdlog::warn(
          "{} is missing; the best weights from here on replace it, even if they are worse",
          file.string());
    }
  }
  if (position.best_evaluation == 0) {
    best.reset();  // not from an evaluation that counts
  }
  keep_average(training, config.training.average_last);
  return best;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
