// The trainer: one step from a batch to new parameters.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/ops/cross_entropy.hpp"
#include "core/sequence/batch.hpp"
#include "nn/pass.hpp"
#include "train/step/optimizer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// What a step did. Losses are means over its labels, in nats.
struct StepStats {
  double loss = 0;                     // as trained: with label smoothing
  double negative_log_likelihood = 0;  // without
  double penalty = 0;                  // trained beside the loss, and no part of it
  Index tokens = 0;
  Index correct = 0;
  double gradient_norm = 0;
  double learning_rate = 0;
};

// The loss of a batch, summed over its labels.
using LossFunction = std::function<CrossEntropy(Pass& pass, const Batch& batch)>;

// What the weights cost by themselves, (1): added to the mean loss of a step's labels.
using PenaltyFunction = std::function<Var(Pass& pass)>;

// The penalty once for each label of the batch, as the loss of a batch is summed over them: then a
// step's mean has it once, however the step is cut.
Var penalty_of(const PenaltyFunction& penalty, Pass& pass, const Batch& batch);

class Trainer {
 public:
  // `d_model` matters to the noam schedule and to the size of parts (`part_rows`), `total_steps`
  // (0: unknown) to linear and cosine.
  struct Options {
    TrainingOptions training;
    std::uint64_t seed = 1;
    Index d_model = 1;
    Index total_steps = 0;
    PenaltyFunction penalty{};  // empty: none
  };
  Trainer(ParameterStore& store, Workers& workers, const Options& options);

  // One step on the batches together: their shards run side by side, the gradient is that of the
  // mean loss over all their labels. Throws NumericError, with the parameters as before, when loss
  // or gradient is not finite, and ShapeError where there is no label.
  StepStats step(const std::vector<Batch>& batches, const LossFunction& loss);

  Index steps() const { return optimizer_.steps(); }
  Optimizer& optimizer() { return optimizer_; }

 private:
  // What a shard keeps from step to step: memory.
  struct Shard {
    explicit Shard(const ParameterStore& store) : gradients(store) {}
    Tape tape;
    ParameterGradients gradients;
    double loss = 0;
    double negative_log_likelihood = 0;
    double penalty = 0;  // as often as there are labels
    Index correct = 0;
  };
  void run_part(Shard& shard, const Batch& batch, const LossFunction& loss);
  Var with_penalty(Shard& shard, Pass& pass, const Batch& batch, Var loss) const;
  void run_shards(const std::vector<Batch>& batches, const LossFunction& loss);

  // Goes through the step again with a look at every value and gradient: as all draws are
  // addressed, what was not finite comes back, and the op that made it is named. Always throws
  // NumericError.
  [[noreturn]] void explain(const std::string& what, const std::vector<Batch>& batches,
                            const LossFunction& loss);

  ParameterStore& store_;
  Workers& workers_;
  Options options_;
  Optimizer optimizer_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<ParameterGradients*> gradients_;  // of the shards
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
