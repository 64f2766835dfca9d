// Sets up training of a config's model, also for rehearsals, replays, gradient checks, benchmarks.
#pragma once

#include "train/experiment.hpp"
#include "train/step/trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The gates of all heads of a model, and the number of open ones (Voita et al. 2019, section 5.2).
class OpenHeads {
 public:
  explicit OpenHeads(const Transformer& transformer);

  // The number of heads with gates. Attentions with shared weights count once.
  Index gated() const { return gated_; }

  // The expected number of open heads, Σ P(z > 0) (Voita et al. 2019, equation 8). The first
  // function returns shape (1), and requires gates.
  Var expected(Pass& pass) const;
  double expected(const ParameterStore& store) const;

 private:
  std::vector<Parameter> log_alphas_;
  Index gated_ = 0;
};

// weight Σ P(a head is open), which closes gates that the loss does not need (equation 9). Empty if
// `weight` is 0 or there are no gates.
PenaltyFunction gate_penalty(const Transformer& transformer, double weight);

// The loss of a batch. The model must outlive the returned function.
LossFunction training_loss(const Model& model, const Config& config);

// The size of the training memory; nullopt if the config has none.
std::optional<LaneMemory::Size> memory_size(const Config& config);

// Applies the config's memory and gate penalty. `total_steps`: see Trainer::Options.
Trainer trainer_of(Model& model, const Config& config, const Team& team, Index total_steps = 0);

// Throws ConfigError at the place of training.freeze if one of its patterns matches no parameter
// (with the nearest names), or if nothing is left to train.
void check_frozen(const LoadedConfig& loaded);

// The same for a resolved config, with the place for errors ("file:line:column: training.freeze").
void check_frozen(const Config& config, const std::string& place);

}}  // namespace tapehead::TAPEHEAD_PRECISION
