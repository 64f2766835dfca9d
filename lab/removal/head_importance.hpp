// Which heads matter: how the loss changes without a head, how fast with the head's gate, and as
// heads are removed one after the other; which trained gates are closed; all as tables and as JSON.
#pragma once

#include "core/files/json_text.hpp"
#include "core/kernel/workers.hpp"
#include "datasets/task.hpp"
#include "lab/figure_table.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct HeadName {
  AttentionSite site;
  Index head = 0;

  std::string text() const;  // "decoder.layers.1.cross.3"

  auto operator<=>(const HeadName&) const = default;
};

inline HeadName head_at(AttentionSite site, std::size_t head) {
  return {.site = site, .head = static_cast<Index>(head)};
}

// The head of the attention with this name, such as "decoder.layers.0.cross". Throws ConfigError,
// with the existing heads, if it does not exist.
HeadName head_named(const Transformer& transformer, std::string_view attention, Index head);

// All heads of a model, in the order in which a pass runs them.
std::vector<HeadName> heads_of(const Transformer& transformer);

// The attention of a head. Throws ConfigError as head_named() does.
const MultiHeadAttention& attention_of(const Transformer& transformer, const HeadName& head);

// An attention whose heads cannot be gated or cannot be removed, and the reason.
struct FixedAttention {
  AttentionSite site;
  Index heads = 0;
  std::string why;
};

// "encoder.layers.0.self, encoder.layers.1.self: why; decoder.layers.0.cross: why".
std::string fixed_text(const std::vector<FixedAttention>& attentions);

// The heads on which a HeadGate can be put, in the model or in the same model with_weights_apart(),
// and the attentions whose heads cannot have one.
std::vector<HeadName> gateable_heads(const Transformer& transformer);
std::vector<FixedAttention> ungated_attentions(const Transformer& transformer);

// Multiplies the output of a head by scaling the head's columns of the output projection, so that
// everything that uses the weights also works with the gated head.
class HeadGate {
 public:
  // Throws ConfigError, with the existing heads, for a head that does not exist, and for one whose
  // output does not pass through its own columns of an output projection that no other attention
  // uses.
  HeadGate(Model& model, const HeadName& head);
  HeadGate(const HeadGate&) = delete;
  HeadGate& operator=(const HeadGate&) = delete;
  ~HeadGate() { set(1); }  // restores the weights to the bit

  void set(double gate);  // 1: as trained; 0: removed

  // dL/dgate at the current gate, from the gradient of the weights: Σ W dL/dW over the head's
  // columns, with W as trained.
  double slope(const ParameterGradients& gradients) const;

 private:
  Tensor weight_;  // (D, H d), the store's own
  Tensor kept_;    // (D, d): the head's columns as they were
  Index block_;
  Index first_;  // column
};

using HeadGates = std::vector<std::unique_ptr<HeadGate>>;
HeadGates gates_on(Model& model, const std::vector<HeadName>& heads);

// E |dL/dgate| over the sentences of a split, where L is the sentence's mean loss, for each gate at
// its current value (Michel et al. 2019, equation 2). The same with any number of threads.
std::vector<double> gate_slopes(const Model& model, const Source& source, const HeadGates& gates,
                                Workers& workers);

// Studies of heads read each text by itself, without a memory before it, as gate_slopes() do.
EvaluationOptions without_memory(EvaluationOptions options);

struct HeadImportance {
  HeadName head;
  double loss_without = 0;  // mean negative log-likelihood of a target token without the head
  double loss_alone = 0;    // without all other heads of its attention
  double slope = 0;         // from gate_slopes(), at gate 1
};

struct Importance {
  double loss = 0;                        // with all heads
  std::vector<HeadImportance> heads{};    // those that can be gated
  std::vector<FixedAttention> ungated{};  // whose heads are left out
};

// Ablation of one head, and of all heads but one (Michel et al. 2019, sections 3.2 and 3.3), and
// slopes over a split, for all heads that can be gated. Losses are without_memory(). Where
// attentions share weights, each is measured at its own site. The weights are unchanged afterwards.
Importance head_importance(Model& model, const Config& config, const Task& task, const Split& split,
                           Workers& workers,
                           const std::function<void(Index done, Index of)>& progress = {});

// Whether some attentions of a model share weights (model.layer_groups, shared_as).
bool shares_weights(const Transformer& transformer);

// A model that computes the same, in which each attention and each layer has weights of its own:
// copies of those that it shares in `model`, whose config this is.
std::unique_ptr<Model> with_weights_apart(const Model& model, const Config& config);

constexpr Index usual_slope_examples = 200;  // enough to tell important heads from others

struct PruningStep {
  HeadName removed;
  double importance = 0;  // at its removal, among the heads that were left
  double loss = 0;        // without it and the heads removed before it
};

struct PruningCurve {
  double loss = 0;  // with all heads
  std::vector<PruningStep> steps{};
  std::vector<FixedAttention> ungated{};  // heads that stay

  // How many heads can be removed together before the loss has grown by more than `tolerance` nats.
  std::size_t steps_within(double tolerance) const;
};

// Removes all heads of a model that can be gated, one after the other, and then restores them. Each
// time it removes the head whose gate has the smallest slope, given those removed before (Michel et
// al. 2019, section 4, but importance is measured again after every head). Losses are means over
// the target tokens of the split, without_memory(); slopes are computed over its first
// `slope_examples`. Where attentions share weights, a head goes at its own site alone.
PruningCurve prune_heads(Model& model, const Config& config, const Task& task, const Split& split,
                         Index slope_examples, Workers& workers,
                         const std::function<void(Index done, Index of)>& progress = {});

// The trained gates of heads: which ones are closed, and how far the others are open.
struct GatedHead {
  HeadName head;
  double gate = 0;  // the gate without random draws; exactly 0: closed
  double open = 0;  // the probability that a draw in training is not 0
};

// The heads of a model that have gates, in the order in which a pass meets them.
std::vector<GatedHead> gated_heads(const Model& model);

// Those of them whose gates are closed: they contribute nothing.
std::vector<HeadName> closed_heads(const std::vector<GatedHead>& heads);

// What is left when a head has gone, and which; none has gone at the beginning.
struct PruningState {
  std::size_t left = 0;
  const PruningStep* step = nullptr;
  double loss = 0;
};

// What is said of a head and of a state. `loss` is that with all heads.
std::vector<FigureRow<HeadImportance>> importance_rows(double loss = 0);
std::vector<FigureRow<PruningState>> pruning_rows();
std::vector<FigureRow<GatedHead>> gate_rows();

std::string importance_table(const Importance& importance);
Json importance_json(const Importance& importance);

std::string pruning_table(const PruningCurve& curve);
Json pruning_json(const PruningCurve& curve);

}}  // namespace tapehead::TAPEHEAD_PRECISION
