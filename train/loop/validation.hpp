// Validation: evaluations during a training, the best weights so far, and how long none were
// better.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "datasets/task.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/experiment.hpp"
#include "train/loop/patience.hpp"
#include "train/loop/run_sink.hpp"
#include "train/step/exchange.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Samples: the first outputs of an evaluation, as the log and TensorBoard show them.

// Each output with its source and, if it is wrong, the reference.
std::vector<std::string> samples_of(const Split& split, const Evaluation& evaluation, Index count);

// Logs them.
void show_samples(const Split& split, const Evaluation& evaluation, Index count);

class Validation {
 public:
  // All must outlive it. The position stores the number of evaluations and the best result.
  Validation(const Config& config, const Task& task, RunSink& sink, TrainingPosition& position,
             Exchange& exchange)
      : config_(config), task_(task), sink_(sink), position_(position), exchange_(exchange) {}

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
  Exchange& exchange_;
  std::optional<BestWeights> best_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
