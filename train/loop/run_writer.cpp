#include "train/loop/run_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.hpp"
#include "train/config/config.hpp"
#include "train/events/event_log.hpp"
#include "train/output/program_path.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/rank_checkpoint.hpp"
#include "train/step/step_errors.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

RunWriter::RunWriter(const RunFiles& files, const Config& config, Identity identity, Ranks& ranks)
    : files_(files),
      identity_(std::move(identity)),
      ranks_(ranks),
      averages_(config.training.average_last > 0),
      checkpoints_(files.checkpoints(), "step", config.training.checkpoint_keep,
                   *config.training.checkpoint_every),
      weights_(files.checkpoints(), "weights",
               KeptCheckpoints(std::max<Index>(1, config.training.average_last)),
               *config.training.checkpoint_every) {
  if (ranks.first()) {
    metrics_.emplace(files.metrics());
    times_.emplace(files.times());
  }
}

void RunWriter::go_on_from(Index step, const Config& config) {
  if (!ranks_.first()) {
    return;
  }
  checkpoints_.remove_surplus(step);
  weights_.remove_surplus(step);
  metrics_->truncate_after(step);
  times_->truncate_after(step);
  truncate_event_files(files_.directory, step);
  if (config.run.tensorboard) {
    events_.emplace(files_.directory, step, dump_config(config));
  }
}

void RunWriter::write_step(const nlohmann::ordered_json& line, Index step, double elapsed) {
  if (!ranks_.first()) {
    return;
  }
  metrics_->write(line);
  times_->write({{"step", step}, {"seconds", elapsed}});
  if (events_) {
    events_->write(line);
  }
}

void RunWriter::write_evaluation(const nlohmann::ordered_json& line,
                                 const std::vector<std::string>& samples) {
  if (!ranks_.first()) {
    return;
  }
  metrics_->write(line);
  if (events_) {
    events_->write(line, samples);
  }
}

void RunWriter::sync_lines() {
  metrics_->sync();
  times_->sync();
  if (events_) {
    events_->sync();
  }
}

void RunWriter::save_best(const ParameterStore& store, Index step, const BestWeights& best) {
  if (ranks_.first()) {
    sync_lines();
    write_tensor_file(best_checkpoint(files_.checkpoints()), weight_entries(store),
                      best_metadata(identity_, step, best));
  }
}

void RunWriter::save(const TrainingState& state, const TrainingPosition& position, double elapsed,
                     bool regular) {
  ParameterStore& store = state.store;
  expect_finite_weights(store, position.step);
  expect_same_weights(store, position.step, ranks_);
  if (ranks_.first()) {
    sync_lines();
  }
  // The weights for the average come first: if the process is killed between the two, the resumed
  // run writes the same weights again.
  if (regular && averages_ && ranks_.first()) {
    Metadata metadata = identity_.facts;
    metadata["step"] = std::to_string(position.step);
    Metadata marked = metadata;
    marked.merge(weights_.mark(position.step, regular));
    weights_.save(position.step, weight_entries(store), marked);
    write_weight_average(weights_.candidates(), store, metadata,
                         average_checkpoint(files_.checkpoints()));
  }
  Metadata metadata = training_metadata(identity_, position);
  metadata.merge(checkpoints_.mark(position.step, regular));
  save_training(checkpoints_, state, position, metadata, ranks_);
  if (ranks_.first()) {
    write_elapsed_seconds(files_.checkpoints(), elapsed);
  }
}

std::string RunWriter::keep_for_replay(const Replay& replay, const ParameterStore& store) const {
  if (!ranks_.first()) {
    return "";
  }
  try {
    write_replay(files_.replay(), replay, store);
  } catch (const IoError& error) {
    return fmt::format("\nno replay was kept: {}", error.what());
  }
  return fmt::format("\nto repeat the step: {} replay {}", program_path(),
                     shell_word(files_.replay().string()));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
