// A training run: from a config to a run directory that holds a trained model, through any stop and
// resume.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/blas_kernels.hpp"
#include "nn/open_heads.hpp"
#include "train/checkpoint.hpp"
#include "train/evaluation.hpp"
#include "train/experiment.hpp"
#include "train/identity.hpp"
#include "train/kept_files.hpp"
#include "train/patience.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/metrics_log.hpp"
#include "train/run/progress.hpp"
#include "train/run/run_directory.hpp"
#include "train/run/signals.hpp"
#include "train/run_plan.hpp"
#include "train/trainer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

using TestResults = std::vector<std::pair<std::string, Evaluation>>;

// How a run ended: by itself, or by a signal after which it can be resumed.
struct RunEnd {
  int signal = 0;  // 0, SIGINT or SIGTERM
  Index step = 0;
  double seconds = 0;  // of training
  TestResults tests;   // of each of final_splits(), where the run ended by itself
};

class TrainingRun {
 public:
  // The config must be resolved; `task` is its data. When `resume`, goes on from the newest
  // checkpoint that holds.
  TrainingRun(const Config& config, const Task& task, const RunDirectory& directory,
              const BlasInfo& blas, Index threads, std::shared_ptr<Console> console, bool resume);

  // Trains to the end, or until a signal comes; then evaluates final_splits(), unless stopped.
  RunEnd run();

  Index step() const { return position_.step; }

 private:
  // The batches of one step: `accumulate` of them, fewer at an epoch's end.
  std::vector<Batch> next_batches();
  StepStats train_step();
  std::string keep_for_replay(const std::vector<Batch>& batches) const;
  void begin_epoch();
  bool finished() const;
  bool as_long_as_planned() const;
  Waiting waiting() const;
  void say_why_it_ends() const;
  bool due(Index every) const { return every > 0 && position_.step % every == 0; }
  void after_step(const StepStats& stats);
  void evaluate_validation();
  bool note_evaluation(const BestWeights& now);
  void save_checkpoint(bool regular);
  std::optional<TestResults> evaluate_tests(const StopSignals& signals);  // none: stopped by one
  void restore();
  void take_over(const TensorFile& checkpoint);
  void expect_place(const TensorFile& checkpoint) const;
  void adapt_position();
  void keep_files(const Config& config);  // as it was given
  void announce(const BlasInfo& blas) const;
  void show_samples(const Split& split, const Evaluation& evaluation) const;

  RunPlan plan_;
  Config config_;
  const Task& task_;
  std::shared_ptr<const Split> train_;  // as the current epoch sees it
  RunFiles files_;
  std::shared_ptr<Console> console_;
  Workers workers_;
  Model model_;
  OpenHeads open_heads_;
  Identity identity_;
  LossFunction loss_;
  Trainer trainer_;
  Checkpoints checkpoints_;  // with the optimiser's state
  Checkpoints weights_;      // the last ones, for the average
  MetricsLog metrics_;
  MetricsLog times_;  // apart, since a clock never says the same twice
  TrainingPosition position_;
  // Of what best.safetensors holds, if there is one: after a resume that may be less than the best
  // so far, which was overwritten at a later step.
  std::optional<BestWeights> best_;
  std::vector<std::vector<Index>> batches_;  // of the current epoch
  double elapsed_ = 0;                       // seconds of training
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
