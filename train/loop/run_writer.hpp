// The writer of a run: what a training leaves in its directory while it goes on.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "train/loop/replay.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/kept_files.hpp"
#include "train/run/metrics_log.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class RunWriter {
 public:
  // `config`: with its intervals decided.
  RunWriter(const RunFiles& files, const Config& config, Identity identity);

  // Lines of later steps go: they will be written again.
  void truncate_after(Index step);

  void write_step(const nlohmann::ordered_json& line, Index step, double elapsed);
  void write_evaluation(const nlohmann::ordered_json& line) { metrics_.write(line); }

  void save_best(const ParameterStore& store, Index step, const BestWeights& best) const;

  // A step checkpoint, and the average of weights where there is one. `regular`: not because of a
  // stop. Throws NumericError where the weights are not finite.
  void save(ParameterStore& store, Optimizer& optimizer, const TrainingPosition& position,
            double elapsed, bool regular);

  // Keeps a step that failed; returns the command that goes through it again.
  std::string keep_for_replay(const Replay& replay, const ParameterStore& store) const;

  const RunFiles& files() const { return files_; }
  const Identity& identity() const { return identity_; }
  const Checkpoints& checkpoints() const { return checkpoints_; }

 private:
  RunFiles files_;
  Identity identity_;
  bool averages_;
  Checkpoints checkpoints_;  // with the optimiser's state
  Checkpoints weights_;      // the last ones, for the average
  MetricsLog metrics_;
  MetricsLog times_;  // apart, since a clock never says the same twice
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
