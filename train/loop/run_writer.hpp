// The run writer writes the files of a training into its run directory. Of several ranks only rank
// 0 writes; all of them call it alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/ranks/ranks.hpp"
#include "train/events/event_log.hpp"
#include "train/loop/replay.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/kept_files.hpp"
#include "train/run/metrics_log.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class RunWriter {
 public:
  // `config`: with its intervals set. `ranks` must outlive it.
  RunWriter(const RunFiles& files, const Config& config, Identity identity, Ranks& ranks);

  // Removes lines of later steps, since these steps will be done again. `config`: as the run keeps
  // it.
  void go_on_from(Index step, const Config& config);

  void write_step(const nlohmann::ordered_json& line, Index step, double elapsed);
  void write_evaluation(const nlohmann::ordered_json& line,
                        const std::vector<std::string>& samples);

  void save_best(const ParameterStore& store, Index step, const BestWeights& best);

  // Writes a step checkpoint and, if there is one, the average of weights. `regular`: not because
  // of a stop. Throws NumericError if the weights are not finite, and RankError if ranks have
  // different ones; then nothing is written.
  void save(const TrainingState& state, const TrainingPosition& position, double elapsed,
            bool regular);

  // Saves a step that failed; returns the command that repeats it.
  std::string keep_for_replay(const Replay& replay, const ParameterStore& store) const;

  const RunFiles& files() const { return files_; }
  const Identity& identity() const { return identity_; }
  const Checkpoints& checkpoints() const { return checkpoints_; }

 private:
  // Comes before each checkpoint: after a power loss, a resume goes on from one that is on the
  // disk, and does not write the lines of earlier steps again.
  void sync_lines();

  RunFiles files_;
  Identity identity_;
  Ranks& ranks_;
  bool averages_;
  Checkpoints checkpoints_;  // with the optimiser's state
  Checkpoints weights_;      // the last ones, for the average
  std::optional<MetricsLog> metrics_;
  std::optional<MetricsLog> times_;  // separate, since times differ in every run
  std::optional<EventLog> events_;   // with run.tensorboard
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
