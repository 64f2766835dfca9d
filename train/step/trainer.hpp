// The trainer: computes one step, from a batch to updated parameters.
#pragma once

#include "core/ops/softmax.hpp"
#include "nn/attention/caches.hpp"
#include "nn/pass.hpp"
#include "train/step/optimizer.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The results of a step. Losses are means over the step's labels, in nats.
struct StepStats {
  double loss = 0;                     // as trained, with label smoothing
  double negative_log_likelihood = 0;  // without label smoothing
  double penalty = 0;                  // of the weights; not part of the loss
  Index tokens = 0;
  Index correct = 0;
  double gradient_norm = 0;
  double learning_rate = 0;
};

// The loss of a batch, summed over its labels.
using LossFunction = std::function<CrossEntropy(Pass& pass, const Batch& batch)>;

// A penalty on the weights, shape (1), added to the mean loss over a step's labels.
using PenaltyFunction = std::function<Var(Pass& pass)>;

// The penalty times the batch's number of labels. A batch's loss is a sum over labels, so the mean
// over a step contains the penalty exactly once, however the step is split.
Var penalty_of(const PenaltyFunction& penalty, Pass& pass, const Batch& batch);

class Trainer {
 public:
  // `d_model`: for noam and `part_rows`. `total_steps`: for linear and cosine; 0: unknown.
  struct Options {
    TrainingOptions training;
    std::uint64_t seed = 1;
    Index d_model = 1;
    Index total_steps = 0;
    PenaltyFunction penalty{};                 // empty: none
    std::optional<LaneMemory::Size> memory{};  // of the lanes that batches continue
  };
  Trainer(ParameterStore& store, const Team& team, const Options& options);

  // One step on all batches: computes their shards in parallel, and the gradient of the mean loss
  // over all labels. Throws NumericError if loss or gradient is not finite, and ShapeError if there
  // is no label; parameters and memory are then unchanged. All ranks must call it together with the
  // same batches; each computes some of the shards. All get the same results or NumericError.
  StepStats step(const std::vector<Batch>& batches, const LossFunction& loss);

  Index steps() const { return optimizer_.steps(); }
  Optimizer& optimizer() { return optimizer_; }
  LaneMemory* memory() { return memory_ ? &*memory_ : nullptr; }  // null: none

  Exchange& exchange() { return optimizer_.exchange(); }

  double bytes_sent() const {
    return optimizer_.exchange().bytes_sent(memory_ ? memory_->committed().size() : 0);
  }

 private:
  // Buffers that a shard reuses from step to step.
  struct Shard {
    explicit Shard(const ParameterStore& store) : gradients(store) {}
    Tape tape;
    ParameterGradients gradients;
    StepStats result;  // losses and penalty are sums over its labels
  };
  void run_part(Shard& shard, const Batch& batch, const LossFunction& loss);
  void run_shards(const std::vector<Batch>& batches, const LossFunction& loss);
  void run_own_shards(const std::vector<Batch>& batches, const LossFunction& loss, Index& batch);
  void share_memory();
  StepStats stats_of(Index tokens);

  // Repeats the step, and checks every value and gradient. Draws depend only on their address, so
  // the error recurs. Always throws NumericError that names the parameter or op, if one is found.
  [[noreturn]] void explain(const std::string& what, const std::vector<Batch>& batches,
                            const LossFunction& loss);

  ParameterStore& store_;
  Team team_;
  Options options_;
  Optimizer optimizer_;
  Index shard_count_;                           // of the whole team
  std::vector<std::unique_ptr<Shard>> shards_;  // those computed here
  std::vector<ParameterGradients*> gradients_;  // of these shards
  std::optional<LaneMemory> memory_;
  // For each batch of a step: the first lane of each shard, then the end of the last lane.
  PoolVector<PoolVector<Index>> lanes_of_shards_;
};

NumericError numeric_error(Index step, const std::string& what);

// Throws numeric_error(), so that a bad checkpoint never replaces a good one.
void expect_finite_weights(const ParameterStore& store, Index step);

}}  // namespace tapehead::TAPEHEAD_PRECISION
