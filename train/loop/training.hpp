// A training, from a config to the end of its run, as `tapehead train` runs it.
#pragma once

#include "core/product/blas_kernels.hpp"
#include "train/loop/run_sink.hpp"
#include "train/loop/validation.hpp"
#include "train/model_training.hpp"
#include "train/output/logging.hpp"
#include "train/output/signals.hpp"
#include "train/plan/run_plan.hpp"
#include "train/run/data.hpp"
#include "train/step/trainer.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// What a caller asks of a training.
struct TrainRequest {
  std::filesystem::path config{};        // a file, YAML or JSON
  std::filesystem::path run{};           // its directory; empty: runs/<name of the config>
  std::vector<std::string> overrides{};  // each "section.option=value"
  bool resume = false;                // continue from the newest checkpoint, with the run's config
  bool overwrite = false;             // replace an earlier run
  DataChoice data{};                  // where the data of a resumed run is
  Index threads = default_threads();  // they change only the time, not the result
  std::string threads_from{};         // what decided their number, for the table at the start
  Ranks* ranks = &alone();            // the processes that train together; not null
  std::function<void(const StepReport&)> progress{};  // called after each step
  std::shared_ptr<Console> console{};                 // for a live line; null: none
};

// The steps of a training, from where it begins or goes on to its end or a signal.
class TrainingRun {
 public:
  // The config must be resolved; `task` is its data. `sink` must outlive it. Of the request it uses
  // the number of threads, and where to report progress.
  TrainingRun(const Config& config, const Task& task, RunSink& sink, const BlasInfo& blas,
              const TrainRequest& request);

  // Trains to the end, or until a signal arrives. Then, unless stopped, evaluates final_splits().
  RunEnd run();

  Index step() const { return position_.step; }

 private:
  StepStats train_step();
  StepReport report_of(const StepStats& stats, Index epoch, double seconds) const;
  bool finished() const;
  bool as_long_as_planned() const;
  void say_why_it_ends() const;
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

// A training that has ended. While this object exists, so does the lock of its run.
struct Trained {
  RunFiles files;
  std::unique_ptr<RunSink> sink{};
  LoadedConfig loaded;  // the config that it used
  Task task;
  RunEnd end{};
};

// Trains, evaluates the test splits, and writes all files of the run directory except the page.
// Ranks that train together give the same results as one process. It logs to spdlog's default
// logger. SIGINT, SIGTERM, SIGHUP and SIGUSR1 end it after the current step, with a checkpoint from
// which `resume` continues. Throws ConfigError, DataError and IoError if it cannot train; then
// nothing is changed. Throws NumericError for numbers that are not finite.
Trained train(const TrainRequest& request);

}}  // namespace tapehead::TAPEHEAD_PRECISION
