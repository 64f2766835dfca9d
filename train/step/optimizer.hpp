// The optimisers: a step from the shards' gradients to new parameters.
#pragma once

#include "core/kernel/workers.hpp"
#include "core/tape/parameters.hpp"
#include "train/step/optimizer_updates.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class Optimizer {
 public:
  // Both must outlive the optimiser.
  Optimizer(ParameterStore& store, const TrainingOptions& options, Ranks& ranks = alone());

  // Frozen parameters take no part in a step: neither in the norm nor in the update.
  //
  // One step with the sum of the shards' gradients, added in their order, times `scale`, clipped to
  // options.clip_norm. The sum is computed in the shards' own memory and overwrites their
  // gradients. Returns the norm before clipping. Throws NumericError that names the parameter if
  // the gradient is not finite; then the parameters are unchanged. All who train together take
  // the step together, each with the gradients of its own shards, and then have the same
  // parameters.
  double step(Workers& workers, const std::vector<ParameterGradients*>& computed, double scale,
              double learning_rate);

  // From now on this parameter's learning rate is `factor` times that of the others of its kind.
  void scale_rate(const Parameter& parameter, double factor);

  struct Bounds {  // of valid numbers
    Scalar least = std::numeric_limits<Scalar>::lowest();
    Scalar most = std::numeric_limits<Scalar>::max();
  };

  // What must be saved so that the next step is the same, beside the number of steps.
  struct State {
    std::string name;
    Bounds bounds{};
    std::vector<bool> of_block{};  // whether a block has this state
    std::vector<Tensor> blocks{};  // of such a block, the numbers in the own slice

    bool belongs_to(const NamedParameter& parameter) const {
      return !parameter.frozen && of_block[static_cast<std::size_t>(parameter.block)];
    }
  };
  const std::vector<State>& states() const { return states_; }

  // Of a parameter's numbers in a state, those in the own slice.
  std::span<Scalar> kept(const State& state, const NamedParameter& parameter) const;

  Exchange& exchange() { return exchange_; }
  const Exchange& exchange() const { return exchange_; }
  Index steps() const { return steps_; }
  void set_steps(Index steps) { steps_ = steps; }

 private:
  // A parameter that is updated as a whole.
  struct Matrix {
    Index block;
    Index offset;  // in the block
    Index rows;
    Index columns;
    Scalar weight_decay;
    Scalar rate;  // factor on the learning rate
  };
  struct Factors {
    Scalar learning_rate;
    Scalar clip;  // on the gradient
  };
  // Calls action(i) for the chunk i of each chunk in the own slice.
  template <class Action>
  void for_own_chunks(Workers& workers, const Action& action) {
    const auto [first, end] = exchange_.chunks();
    workers.run(end - first,
                [&, first = first](Index i) { action(static_cast<std::size_t>(first + i)); });
  }
  void add_states(std::span<const OptimizerMoment> moments, bool of_matrices);
  void add_matrices();
  Scalar matrix_rate(double factor) const;
  Scalar* value_at(Index block, Index offset);
  Scalar* moment_at(const State& state, Index block, Index offset) const;
  double norm_of(Workers& workers, std::span<const ShardGradients> shards, double scale,
                 GradientSums& sums);
  void update_chunk(const Chunk& chunk, const Scalar* sum, Factors factors);
  void update_matrices(Workers& workers, GradientSums& sums, Factors factors);

  ParameterStore& store_;
  TrainingOptions options_;
  OptimizerTraits traits_;
  UpdateFunction update_;
  std::vector<Chunk> chunks_;
  Exchange exchange_;
  std::vector<Matrix> matrices_;  // the largest first
  std::vector<double> squares_;   // of each chunk's gradient
  std::vector<State> states_;     // the traits' moments, then those of matrices
  Index steps_ = 0;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
