// The optimisers, and the sum and norm of the shards' gradients, with which a step starts.
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

  // One step with the sum of the shards' gradients, added in their order, times `scale`, clipped to
  // options.clip_norm. The sum is computed in the shards' own memory and overwrites their
  // gradients. Returns the norm before clipping. Throws NumericError that names the parameter if
  // the gradient is not finite; then the parameters are unchanged.
  double step(Workers& workers, const std::vector<ParameterGradients*>& shards, double scale,
              double learning_rate);

  // From now on this parameter's learning rate is `factor` times that of the others.
  void scale_rate(const Parameter& parameter, double factor);

  // What must be saved so that the next step is the same: tensors with the layout of the store, and
  // the number of steps.
  struct State {
    std::string name;
    Tensor* memory;
    // The range of valid numbers.
    Scalar least = std::numeric_limits<Scalar>::lowest();
    Scalar most = std::numeric_limits<Scalar>::max();
  };
  std::vector<State> states();
  Index steps() const { return steps_; }
  void set_steps(Index steps) { steps_ = steps; }

 private:
  // Some numbers of one block: few enough for the caches, and for distribution over the workers.
  struct Chunk {
    Index block;
    Index begin;   // in the store's memory
    Index offset;  // in the block
    Index count;
    Scalar weight_decay;
    Scalar rate = 1;  // factor on the learning rate
  };
  using Sums = PoolVector<Tensor>;  // over the shards, for each block
  Sums place_for_sums(const std::vector<ParameterGradients*>& shards) const;
  static double sum_chunk(const Chunk& chunk, const std::vector<ParameterGradients*>& shards,
                          Scalar scale, Scalar* sum);
  [[noreturn]] void report_not_finite(const Sums& sums) const;

  ParameterStore& store_;
  TrainingOptions options_;
  std::vector<Chunk> chunks_;
  std::vector<double> squares_;  // of each chunk's gradient
  UpdateFunction update_;
  std::vector<Tensor> moments_;  // as in OptimizerTraits
  Index steps_ = 0;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
