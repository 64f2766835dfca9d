// Validation: evaluations during a training, the best weights, and the patience.
#pragma once

#include "train/loop/run_sink.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Logs the first outputs of an evaluation, each with its source and, if wrong, its reference.
void show_samples(const Split& split, const Evaluation& evaluation, Index count);

// How long a training has waited for a better evaluation.
struct Waiting {
  Metric metric = Metric::loss;
  Index patience = 0;  // 0: unlimited
  Index evaluations = 0;
  Index best_evaluation = 0;  // the number of the last evaluation that was better; 0: none
  double best_value = 0;

  Index without_gain() const { return evaluations - best_evaluation; }
  bool over() const { return patience > 0 && without_gain() >= patience; }
};

// Whether an evaluation's weights were kept as the best checkpoint, and why.
enum class KeptWeights {
  none,
  best,          // a better metric than all evaluations before
  lower_loss,    // the same metric as the best, with a lower loss
  since_resume,  // not the best, but the best checkpoint was lost at a resume
};

// The end of the log line of the last evaluation: whether it is the best, or how long no evaluation
// had a better metric. Empty if there is nothing to say.
std::string gain_text(const Waiting& waiting, KeptWeights kept);

std::string patience_text(const Waiting& waiting);

class Validation {
 public:
  // The arguments must outlive it. `position` stores the number of evaluations and the best result.
  Validation(const Config& config, const Task& task, RunSink& sink, TrainingPosition& position)
      : config_(config), task_(task), sink_(sink), position_(position) {}

  // Evaluates the split `validation`, and saves the weights if they are the best. Throws
  // NumericError that names the step. All ranks must call it; rank 0 decides what is best.
  void run(const Model& model, const Team& team);

  Waiting waiting() const;

  // How good best.safetensors is, if it exists. It can be worse than the best evaluation: after a
  // resume, the file of that evaluation may have been overwritten at a later step.
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
