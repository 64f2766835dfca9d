// Validation: evaluations while a model is trained, the best weights by them, and how long nothing
// was better.
#pragma once

#include <optional>

#include "core/kernel/workers.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/experiment.hpp"
#include "train/loop/patience.hpp"
#include "train/loop/run_writer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class Validation {
 public:
  // All must outlive it. The position keeps the count of evaluations and the best of them.
  Validation(const Config& config, const Task& task, RunWriter& writer, TrainingPosition& position)
      : config_(config), task_(task), writer_(writer), position_(position) {}

  // Evaluates on the split `validation` and keeps the weights where they are the best. Throws
  // NumericError, told with the step.
  void run(const Model& model, Workers& workers);

  Waiting waiting() const;

  // What best.safetensors holds, if there is one: after a resume that may be less than the best so
  // far, which was overwritten at a later step.
  void set_best(const std::optional<BestWeights>& best) { best_ = best; }

 private:
  bool note(const BestWeights& now, const ParameterStore& store);

  const Config& config_;
  const Task& task_;
  RunWriter& writer_;
  TrainingPosition& position_;
  std::optional<BestWeights> best_;
};

// Logs the first outputs of an evaluation, beside their sources and, where they are wrong, what
// would be right.
void show_samples(const Split& split, const Evaluation& evaluation, Index samples);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
