// Validation: evaluations during a training, the best weights, and how long none were better.
#pragma once

#include "datasets/task.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/experiment.hpp"
#include "train/loop/run_sink.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Logs the first outputs of an evaluation, each with its source and, if it is wrong, the reference.
void show_samples(const Split& split, const Evaluation& evaluation, Index count);

// The state of a training that waits for a better evaluation.
struct Waiting {
  Metric metric = Metric::loss;
  Index patience = 0;  // 0: unlimited
  Index evaluations = 0;
  Index best_evaluation = 0;  // the number of the last one better by the metric; 0: none
  double best_value = 0;

  Index without_gain() const { return evaluations - best_evaluation; }
  bool over() const { return patience > 0 && without_gain() >= patience; }
};

// Whether the weights of an evaluation are now the best checkpoint, and why.
enum class KeptWeights {
  none,
  best,          // better by the metric than every evaluation before
  lower_loss,    // as good as the best by the metric, with a lower loss
  since_resume,  // the checkpoint of a better evaluation was lost at a resume
};

// The end of the line about the last evaluation: whether it is the best so far, or for how long
// none was better by the metric. Empty if there is nothing to say.
std::string gain_text(const Waiting& waiting, KeptWeights kept);

// Why a training ends when its patience is used up.
std::string patience_text(const Waiting& waiting);

class Validation {
 public:
  // All must outlive it. The position stores the number of evaluations and the best result.
  Validation(const Config& config, const Task& task, RunSink& sink, TrainingPosition& position)
      : config_(config), task_(task), sink_(sink), position_(position) {}

  // Evaluates the split `validation`, and saves the weights if they are the best. Throws
  // NumericError that names the step. All of the team call it; one of them decides what is best.
  void run(const Model& model, const Team& team);

  Waiting waiting() const;

  // How good best.safetensors is, if it exists. After a resume it may be worse than the best so
  // far, whose file was overwritten at a later step.
  void set_best(const std::optional<BestWeights>& best) { best_ = best; }

 private:
  KeptWeights note(const BestWeights& now, const ParameterStore& store);
  std::vector<std::string> sample_texts(const Model& model, Workers& workers) const;

  const Config& config_;
  const Task& task_;
  RunSink& sink_;
  TrainingPosition& position_;
  std::optional<BestWeights> best_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
