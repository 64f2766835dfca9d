// Resumption: the step at which a training continues, and the files that still belong to it.
#include "train/loop/run_sink.hpp"

#include <spdlog/spdlog.h>

#include "core/text.hpp"
#include "datasets/loader.hpp"
#include "train/config/config.hpp"
#include "train/metrics/metric_kind.hpp"
#include "train/run/data.hpp"
#include "train/run/run_record.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::string in_words(const Batching& batching) {
  const std::string of_lanes =
      batching.memory > 0
          ? fmt::format(", memory {}, accumulate {}", batching.memory, batching.batches_of_step)
          : "";
  return fmt::format("training.batch_tokens {}, batch_lengths {}{}", batching.tokens,
                     EnumNames<BatchLengths>::names[static_cast<std::size_t>(batching.lengths)],
                     of_lanes);
}

bool holds(const std::filesystem::path& checkpoint) {
  try {
    const TensorFile file(checkpoint);
    return true;
  } catch (const IoError&) {
    return false;
  }
}

// Whether the run has weights besides its step checkpoints, which another run can start from.
bool has_weights(const RunFiles& run) { return holds(run.best()) || holds(run.average()); }

std::string from_its_weights(const RunFiles& run) {
  return fmt::format("start another run from its weights: --set model.init_from={} --run DIR",
                     run.directory.string());
}

// Tells what the user must restore to use the intact checkpoints.
std::string what_to_restore(const RunFiles& run, const Config& config) {
  if (std::filesystem::exists(run.config())) {
    const auto of_weights = meaning_of(config);
    const auto changed = differences(load_config(run.config()).config, config,
                                     [&](std::string_view option, const Field&) {
                                       return option == "seed" || option.starts_with("task.") ||
                                              of_weights.contains(std::string(option));
                                     });
    if (!changed.empty()) {
      return fmt::format("but --set has changed the model or its data ({}): leave that out",
                         join(changed, "; "));
    }
  }
  const bool has_files = why_no_files(run, config.task).empty();
  return fmt::format("so restore the config{} that they belong to{}",
                     has_files ? " and the data" : "",
                     has_files ? " (--data DIR names the directory of the data)" : "");
}

// Does not advise --overwrite while the run has intact checkpoints or other weights.
IoError none_fits(const RunFiles& run, const Config& config,
                  const std::vector<RefusedCheckpoint>& refused) {
  std::string advice = "start again with --overwrite";
  if (std::ranges::any_of(refused, &RefusedCheckpoint::holds)) {
    advice = fmt::format("its checkpoints are intact, {}, or {}", what_to_restore(run, config),
                         from_its_weights(run));
  } else if (has_weights(run)) {
    advice = from_its_weights(run);
  }
  return IoError("no checkpoint of {} can be used; {}", run.directory.string(), advice);
}

// Throws IoError if a start at step 0 would replace weights that it does not produce again: of an
// imported or pruned model, or of a finished training.
void expect_nothing_lost(const RunFiles& run) {
  const auto record = read_record(run.record());
  const bool begun = record && !record->starts.empty() && !record->end;
  if (!begun && has_weights(run)) {
    throw IoError("{} has weights, but no checkpoint that a training can go on from; {}",
                  run.directory.string(), from_its_weights(run));
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

// Whether the weights at the position are the best so far: metrics.jsonl has an evaluation at this
// step with exactly the best value and loss.
bool is_at_best(const RunFiles& run, Metric metric, const TrainingPosition& position) {
  const std::string name(kind_of(metric).name);
  bool found = false;
  for_each_line(run.metrics(), [&](const JsonObject& line) {
    found = found || (line.has("split") && line.text("split") == "validation" &&
                      line.count("step") == position.step &&
                      line.number(name.c_str()) == position.best_value &&
                      line.number("loss") == position.best_loss);
  });
  return position.best_evaluation > 0 && found;
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
  if (!found.newest && !found.refused.empty()) {
    throw none_fits(files, config, found.refused);
  }
  if (!found.newest) {
    expect_nothing_lost(files);
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
  const GoingOn training{.files = sink.files(),
                         .identity = identity,
                         .step = position.step,
                         .average_last = config.training.average_last};
  const std::string measure = measure_of(config.evaluation);
  std::optional<BestWeights> best;
  if (position.measure != measure) {
    spdlog::warn("the best checkpoint so far is dropped: the best is now chosen by {}, not by {}",
                 measure, position.measure);
    position.measure = measure;
    position.evaluations = 0;
    position.best_evaluation = 0;
    remove_best(sink.files());
  } else {
    const BestWeights so_far{.value = position.best_value, .loss = position.best_loss};
    best = keep_best(training, store, so_far);
    if (!best && is_at_best(sink.files(), config.evaluation.metric, position)) {
      spdlog::info("the weights of step {} are the best so far, and are written as {} again",
                   position.step, sink.files().best().string());
      sink.save_best(store, position.step, so_far);
      best = so_far;
    }
    if (!best && position.best_evaluation > 0) {
      spdlog::warn(
          "{} is missing; the best evaluation from here on takes its place, even if it is worse",
          sink.files().best().string());
    }
  }
  if (position.best_evaluation == 0) {
    best.reset();  // not from an evaluation that counts
  }
  keep_average(training, store);
  return best;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
