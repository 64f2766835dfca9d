// The trainer: computes one step, from a batch to new parameters.
#pragma once

#include "core/ops/softmax.hpp"
#include "core/sequence/batch.hpp"
#include "nn/attention/caches.hpp"
#include "nn/pass.hpp"
#include "train/step/optimizer.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The results of a step. Losses are means over its labels, in nats.
struct StepStats {
  double loss = 0;                     // as trained: with label smoothing
  double negative_log_likelihood = 0;  // without label smoothing
  double penalty = 0;                  // added for training, not part of the loss
  Index tokens = 0;
  Index correct = 0;
  double gradient_norm = 0;
  double learning_rate = 0;
};

// The loss of a batch, summed over its labels.
using LossFunction = std::function<CrossEntropy(Pass& pass, const Batch& batch)>;

// A penalty on the weights themselves, (1). It is added to the mean loss over a step's labels.
using PenaltyFunction = std::function<Var(Pass& pass)>;

// The penalty times the number of labels of the batch, because the loss of a batch is a sum over
// labels. So the mean over a step contains it exactly once, however the step is split.
Var penalty_of(const PenaltyFunction& penalty, Pass& pass, const Batch& batch);

class Trainer {
 public:
  // `d_model` is for noam and `part_rows`, `total_steps` (0: unknown) for linear and cosine.
  struct Options {
    TrainingOptions training;
    std::uint64_t seed = 1;
    Index d_model = 1;
    Index total_steps = 0;
    PenaltyFunction penalty{};                 // empty: none
    std::optional<LaneMemory::Size> memory{};  // of the lanes that batches go on with
  };
  Trainer(ParameterStore& store, const Team& team, const Options& options);

  // One step on all the batches: their shards are computed in parallel, and the gradient is that of
  // the mean loss over all their labels. Throws NumericError if loss or gradient is not finite,
  // with the parameters and what lanes remember unchanged, and ShapeError if there is no label. All
  // who train together take the step together, each with the same batches, of which it computes
  // some shards. All have the same results, and throw the same NumericError.
  StepStats step(const std::vector<Batch>& batches, const LossFunction& loss);

  Index steps() const { return optimizer_.steps(); }
  Optimizer& optimizer() { return optimizer_; }
  LaneMemory* memory() { return memory_ ? &*memory_ : nullptr; }  // null: none

  Exchange& exchange() { return optimizer_.exchange(); }

  // The bytes that this process sends at each step.
  double bytes_sent() const {
    return optimizer_.exchange().bytes_sent(memory_ ? memory_->committed().size() : 0);
  }

 private:
  struct ShardResult {
    double loss = 0;
    double negative_log_likelihood = 0;
    double penalty = 0;  // times the number of labels
    Index correct = 0;
  };
  // The memory that a shard keeps from step to step.
  struct Shard {
    explicit Shard(const ParameterStore& store) : gradients(store) {}
    Tape tape;
    ParameterGradients gradients;
    ShardResult result;
  };
  void run_part(Shard& shard, const Batch& batch, const LossFunction& loss);
  void run_shards(const std::vector<Batch>& batches, const LossFunction& loss);
  void run_own_shards(const std::vector<Batch>& batches, const LossFunction& loss, Index& batch);
  void share_memory();
  StepStats stats_of(Index tokens);

  // Repeats the step, and checks every value and gradient. All draws are addressed, so what is not
  // finite occurs again. Always throws NumericError, which names the op that made it.
  [[noreturn]] void explain(const std::string& what, const std::vector<Batch>& batches,
                            const LossFunction& loss);

  ParameterStore& store_;
  Team team_;
  Options options_;
  Optimizer optimizer_;
  Index shard_count_;                           // of all
  std::vector<std::unique_ptr<Shard>> shards_;  // that this process computes
  std::vector<ParameterGradients*> gradients_;  // of these shards
  std::optional<LaneMemory> memory_;
  // Of each batch of a step: the first lane of each shard, and one past the last lane of all.
  PoolVector<PoolVector<Index>> lanes_of_shards_;
};

// An error about numbers that are not finite, with the step at which they occurred.
NumericError numeric_error(Index step, const std::string& what);

// Throws numeric_error(), so that a good checkpoint is never replaced by a bad one.
void expect_finite_weights(const ParameterStore& store, Index step);

}}  // namespace tapehead::TAPEHEAD_PRECISION
