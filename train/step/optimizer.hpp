// The optimisers, and the sum and norm of the shards' gradients that they start from.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/kernel/workers.hpp"
#include "core/memory/pool_vector.hpp"
#include "core/tape/parameters.hpp"
#include "train/step/optimizer_updates.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class Optimizer {
 public:
  Optimizer(ParameterStore& store, const TrainingOptions& options);

  // One step from the sum of the shards' gradients, taken in their order, times `scale`, clipped to
  // options.clip_norm. The sum is made in the shards' own memory, where their numbers are lost.
  // Returns the norm before clipping. Throws NumericError naming the parameter when the gradient is
  // not finite; the parameters are then as before.
  double step(Workers& workers, const std::vector<ParameterGradients*>& shards, double scale,
              double learning_rate);

  // From now on this parameter's learning rate is `factor` times that of the others.
  void scale_rate(const Parameter& parameter, double factor);

  // What has to be saved for the next step to be the same: tensors laid out like the store, and the
  // steps taken.
  struct State {
    std::string name;
    Tensor* memory;
    // What its numbers can be.
    Scalar least = std::numeric_limits<Scalar>::lowest();
    Scalar most = std::numeric_limits<Scalar>::max();
  };
  std::vector<State> states();
  Index steps() const { return steps_; }
  void set_steps(Index steps) { steps_ = steps; }

 private:
  // Some numbers of one block: small enough for the caches, and for sharing out to the workers.
  struct Chunk {
    Index block;
    Index begin;   // in the store's memory
    Index offset;  // in the block
    Index count;
    Scalar rate = 1;  // times the learning rate
  };
  using Sums = PoolVector<Tensor>;  // over the shards, of each block
  Sums place_for_sums(const std::vector<ParameterGradients*>& shards) const;
  static double sum_chunk(const Chunk& chunk, const std::vector<ParameterGradients*>& shards,
                          Scalar scale, Scalar* sum);
  [[noreturn]] void report_not_finite(const Sums& sums) const;

  ParameterStore& store_;
  TrainingOptions options_;
  std::vector<Chunk> chunks_;
  std::vector<double> squares_;  // of each chunk's gradient
  UpdateFunction update_;
  std::vector<Tensor> moments_;  // as OptimizerTraits has them
  Index steps_ = 0;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
