// How the model of a config is trained, for all places that need it: a training, its rehearsal, the
// replay of a step, a gradient check and a measurement.
#pragma once

#include "nn/attention/caches.hpp"
#include "train/config/config.hpp"
#include "train/experiment.hpp"
#include "train/step/trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The gates of all heads of a model, and how many are open (Voita et al. 2019, section 5.2).
class OpenHeads {
 public:
  explicit OpenHeads(const Transformer& transformer);

  // The number of heads with gates. Attentions that share weights count once.
  Index gated() const { return gated_; }

  // The expected number of open heads in a step's draws, Σ P(z > 0) (Voita et al. 2019, equation
  // 8); (1). There must be gates.
  Var expected(Pass& pass) const;
  double expected(const ParameterStore& store) const;

 private:
  std::vector<Parameter> log_alphas_;
  Index gated_ = 0;
};

// weight Σ P(a head is open), which closes gates of heads that the loss does not need (equation 9).
// Empty if it adds nothing: a weight of 0, or no gates.
PenaltyFunction gate_penalty(const Transformer& transformer, double weight);

// Gives gates their own learning rate.
void scale_gate_rate(const Transformer& transformer, double factor, Optimizer& optimizer);

// The loss of a batch. The model must outlive the function.
LossFunction training_loss(const Model& model, const Config& config);

// The memory of a training; nothing if it has none.
std::optional<LaneMemory::Size> memory_size(const Config& config);

// With the config's memory, penalty on gates and their rate. `total_steps`: see Trainer::Options.
Trainer trainer_of(Model& model, const Config& config, const Team& team, Index total_steps = 0);

// Throws ConfigError with the place of the option training.freeze if one of its patterns matches no
// parameter, with the names that come nearest, or if nothing is left to train.
void check_frozen(const LoadedConfig& loaded);

// The same for a resolved config, with another place: "file:line:column: training.freeze".
void check_frozen(const Config& config, const std::string& place);

}}  // namespace tapehead::TAPEHEAD_PRECISION
