#include "train/loop/resumption.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "datasets/loader.hpp"
#include "train/options/layout.hpp"
#include "train/run/rank_checkpoint.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

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

// A run with valid checkpoints must not be thrown away because of other problems.
IoError none_fits(const std::filesystem::path& run, const std::vector<RefusedCheckpoint>& refused) {
  const bool lost = std::ranges::none_of(refused, &RefusedCheckpoint::holds);
  return IoError(
      fmt::format("no checkpoint of {0} can be used; {1}", run.string(),
                  lost ? "start again with --overwrite"
                       : "its checkpoints are intact, so restore the config and the data that they "
                         "belong to (--data DIR names the directory of the data), or start another "
                         "run from its weights: --set model.init_from=" +
                             run.string() + " --run DIR"));
}

// Checks the position against the name of the file and the data, which give it further bounds.
void expect_place(const Config& config, const Task& task, const Checkpoints& checkpoints,
                  const TensorFile& checkpoint, const TrainingPosition& position) {
  const std::string file = checkpoint.path().string();
  if (checkpoints.file(position.step) != checkpoint.path()) {
    throw IoError(
        fmt::format("cannot use {}: its metadata says that it is of step {}", file, position.step));
  }
  if (position.batch > 0 && position.batching == config.training.batching()) {
    const auto batches = training_epoch(task, position.batching, config.seed, position.epoch,
                                        layout_of(config.model))
                             .batches;
    if (position.batch >= std::ssize(batches)) {
      throw IoError(
          fmt::format("cannot use {}: its metadata says that {} batches of an epoch of "
                      "{} are done",
                      file, position.batch, batches.size()));
    }
  }
}

// Adapts the position, which counts batches, if `--set` has changed how batches are made.
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

}  // namespace

TrainingPosition restore_training(const Config& config, const Task& task, const RunWriter& writer,
                                  const TrainingState& state, Ranks& ranks) {
  TrainingPosition position{.batching = config.training.batching(),
                            .measure = measure_of(config.evaluation)};
  Resumable found;
  if (ranks.first()) {
    found = writer.checkpoints().find_resumable([&](const TensorFile& file) {
      expect_identity(file, writer.identity());
      position = load_training(file, state);
      expect_place(config, task, writer.checkpoints(), file, position);
      if (state.memory != nullptr && position.batching == config.training.batching()) {
        load_memory(file, *state.memory);
      }
    });
    for (const RefusedCheckpoint& refused : found.refused) {
      spdlog::warn("{}", refused.reason);
    }
    if (!found.newest && !found.refused.empty()) {
      throw none_fits(writer.files().directory, found.refused);
    }
  }
  share_training(found.newest ? &found.newest->content : nullptr, state, position, ranks);
  adapt(config.training.batching(), position);
  spdlog::info("resuming {} at step {}", writer.files().directory.string(), position.step);
  return position;
}

std::optional<BestWeights> keep_weights_of_run(const Config& config, const RunWriter& writer,
                                               ParameterStore& store, TrainingPosition& position) {
  const GoingOn training{.files = writer.files(),
                         .identity = writer.identity(),
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
    remove_best(writer.files());
  } else {
    best = keep_best(training, store, {.value = position.best_value, .loss = position.best_loss});
  }
  if (position.best_evaluation == 0) {
    best.reset();  // not one of its own evaluations
  }
  keep_average(training, store);
  return best;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
