// A training, from its config to the end of its run: what `tapehead train` does.
#pragma once

#include "train/loop/run_sink.hpp"
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

// Logs the first outputs of an evaluation, each with its source and, if wrong, its reference.
void show_samples(const Split& split, const Evaluation& evaluation, Index count);

// Whether an evaluation's weights were kept as the best checkpoint, and why.
enum class KeptWeights {
  none,
  best,          // a better metric than all evaluations before
  lower_loss,    // the same metric as the best, with a lower loss
  since_resume,  // not the best, but the best checkpoint was lost at a resume
};

// The end of the log line of the last evaluation: whether it is the best, or how long no evaluation
// had a better metric. Empty if there is nothing to say.
std::string gain_text(const Config& config, const TrainingPosition& position, KeptWeights kept);

// Whether the training has waited too long for a better evaluation; and this in words.
bool out_of_patience(const Config& config, const TrainingPosition& position);
std::string patience_text(const Config& config, const TrainingPosition& position);

// The steps of a training, from its begin or resumption until its end or a signal.
class TrainingRun {
 public:
  // The config must be resolved; `task`: the data of the config; `plan`: plan_run() of both. `sink`
  // must outlive the object. Uses only the number of threads and the progress options of `request`.
  TrainingRun(const Config& config, const Task& task, const RunPlan& plan, RunSink& sink,
              const BlasInfo& blas, const TrainRequest& request);

  // Trains until the end or a signal. At the end, evaluates final_splits().
  RunEnd run();

  Index step() const { return position_.step; }

 private:
  StepStats train_step();
  StepReport report_of(const StepStats& stats, Index epoch, double seconds) const;
  bool finished() const;
  bool as_long_as_planned() const;
  bool due(Index every) const { return every > 0 && position_.step % every == 0; }
  void after_step(const StepStats& stats, double open_heads);
  // Evaluates the split `validation`, and saves the weights if they are the best. Throws
  // NumericError that names the step. All ranks must call it; rank 0 decides what is best.
  void validate();
  KeptWeights note(const BestWeights& now);
  std::vector<std::string> sample_texts() const;
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
  // How good best.safetensors is, if it exists. It can be worse than the best evaluation: after a
  // resume, the file of that evaluation may have been overwritten at a later step.
  std::optional<BestWeights> best_;
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
