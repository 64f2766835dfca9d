// A training, from its config to the end of its run: what `tapehead train` does.
#pragma once

#include "train/loop/validation.hpp"
#include "train/model_training.hpp"
#include "train/output/logging.hpp"
#include "train/output/signals.hpp"
#include "train/plan/run_plan.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct TrainRequest {
  fs::path config{};                     // a file, YAML or JSON
  fs::path run{};                        // the run directory; empty: runs/<name of the config>
  std::vector<std::string> overrides{};  // each "section.option=value"
  bool resume = false;                // continue from the newest checkpoint, with the run's config
  bool overwrite = false;             // replace an earlier run
  DataChoice data{};                  // where the data of a resumed run is
  Index threads = default_threads();  // affects only the time, not the result
  std::string threads_from{};         // where the number comes from, for the start table
  Ranks* ranks = &alone();            // the processes that train together; not null
  std::function<void(const StepReport&)> progress{};  // called after each step
  std::shared_ptr<Console> console{};                 // for a live progress line; null: none
};

// The steps of a training, from its begin or resumption until its end or a signal.
class TrainingRun {
 public:
  // The config must be resolved; `task` is its data. `sink` must outlive the object. Uses only the
  // number of threads and the progress options of `request`.
  TrainingRun(const Config& config, const Task& task, RunSink& sink, const BlasInfo& blas,
              const TrainRequest& request);

  // Trains until the end or a signal. At the end, evaluates final_splits().
  RunEnd run();

  Index step() const { return position_.step; }

 private:
  StepStats train_step();
  StepReport report_of(const StepStats& stats, Index epoch, double seconds) const;
  bool finished() const;
  bool as_long_as_planned() const;
  bool due(Index every) const { return every > 0 && position_.step % every == 0; }
  void after_step(const StepStats& stats);
  RunEnd evaluate_tests(const StopSignals& signals);
  void announce(const BlasInfo& blas) const;
  TrainingState state() {
    return {.store = model_.store, .optimizer = trainer_.optimizer(), .memory = trainer_.memory()};
  }

  RunPlan plan_;
  Config config_;
  const Task& task_;
  TrainRequest request_;
  RunSink& sink_;
  Workers workers_;
  Team team_;
  Model model_;
  OpenHeads open_heads_;
  LossFunction loss_;
  Trainer trainer_;
  TrainingBatches batches_;
  TrainingPosition position_;
  Validation validation_;
  double elapsed_ = 0;  // seconds of training
};

// A finished training. Its sink keeps the run locked.
struct Trained {
  RunFiles files;
  std::unique_ptr<RunSink> sink{};
  LoadedConfig loaded;  // the config that was used
  Task task;
  RunEnd end{};
};

// Trains, evaluates the test splits, and writes all files of the run directory except the page.
// Several ranks give the same results as one process. Logs to spdlog's default logger. SIGINT,
// SIGTERM, SIGHUP and SIGUSR1 end the training after the current step, with a checkpoint for
// `resume`. Throws ConfigError, DataError and IoError if it cannot train; then nothing is changed.
// Throws NumericError for numbers that are not finite.
Trained train(const TrainRequest& request);

}}  // namespace tapehead::TAPEHEAD_PRECISION
