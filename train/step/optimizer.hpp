// The optimisers: a step from the shards' gradients to updated parameters.
#pragma once

#include "core/kernel/workers.hpp"
#include "train/step/optimizer_updates.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class Optimizer {
 public:
  // `store` and `ranks` must outlive the optimiser.
  Optimizer(ParameterStore& store, const TrainingOptions& options, Ranks& ranks = alone());

  // One step with the sum of the shards' gradients, added in shard order, times `scale`, clipped to
  // options.clip_norm. Computes the sum in the memory of the shards' gradients, and overwrites
  // them. Frozen parameters count neither for the norm nor for the update. Returns the norm before
  // clipping. Throws NumericError that names the parameter if the gradient is not finite; then the
  // parameters are unchanged. All ranks must call it together, each with the gradients of its own
  // shards; afterwards all have the same parameters.
  double step(Workers& workers, const std::vector<ParameterGradients*>& computed, double scale,
              double learning_rate);

  // State that must be saved, besides the number of steps, to continue with the same next step.
  struct State {
    std::string name;
    bool of_squares = false;       // as in OptimizerMoment
    std::vector<bool> of_block{};  // whether a block has this state
    std::vector<Tensor> blocks{};  // for such a block, the numbers in the exchange's slice

    bool belongs_to(const NamedParameter& parameter) const {
      return !parameter.frozen && of_block[static_cast<std::size_t>(parameter.block)];
    }
  };
  const std::vector<State>& states() const { return states_; }

  // The numbers of a parameter's state that are in the exchange's slice.
  std::span<Scalar> kept(const State& state, const NamedParameter& parameter) const;

  Exchange& exchange() { return exchange_; }
  const Exchange& exchange() const { return exchange_; }
  Index steps() const { return steps_; }
  void set_steps(Index steps) { steps_ = steps; }

 private:
  // Calls action(i) for each chunk i in the exchange's slice.
  void for_own_chunks(Workers& workers, const auto& action) {
    const auto [first, end] = exchange_.chunks();
    workers.run(end - first,
                [&, first = first](Index i) { action(static_cast<std::size_t>(first + i)); });
  }
  void add_states(std::span<const OptimizerMoment> moments, bool of_matrices);
  Scalar* value_at(Index block, Index offset);
  Scalar* moment_at(const State& state, Index block, Index offset) const;
  // `common`: what all updates of a step have in common.
  void update_chunk(const Chunk& chunk, Scalar* sum, const Update& common);
  void update_matrices(Workers& workers, GradientSums& sums, const Update& common);

  ParameterStore& store_;
  TrainingOptions options_;
  OptimizerTraits traits_;
  std::vector<Chunk> chunks_;
  Exchange exchange_;
  std::vector<const NamedParameter*> matrices_;  // updated as a whole; largest first
  std::vector<double> squares_;                  // of the gradient, per chunk
  std::vector<State> states_;                    // the traits' moments, then the matrices' momentum
  Index steps_ = 0;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
