// Which heads matter: the loss without a head, the slope of the loss in the head's gate, the loss
// as heads are removed one by one; also which trained gates are closed. As tables and as JSON.
#pragma once

#include "train/evaluation/evaluation.hpp"
#include "train/output/figure_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

using OnProgress = std::function<void(Index done, Index of)>;

struct HeadName {
  AttentionSite site;
  Index head = 0;

  std::string text() const;  // "decoder.layers.1.cross.3"

  auto operator<=>(const HeadName&) const = default;
};
using HeadNames = std::vector<HeadName>;

inline HeadName head_at(AttentionSite site, std::size_t head) {
  return {site, static_cast<Index>(head)};
}

// Finds a head by its attention, such as "decoder.layers.0.cross", and number. Throws ConfigError,
// listing the existing heads, if there is no such head.
HeadName head_named(const Transformer& transformer, std::string_view attention, Index head);

// All heads of a model, in the order in which a pass runs them.
HeadNames heads_of(const Transformer& transformer);

// The attention of a head. Throws ConfigError like head_named().
const MultiHeadAttention& attention_of(const Transformer& transformer, const HeadName& head);

// An attention whose heads cannot be gated or removed, with the reason.
struct FixedAttention {
  AttentionSite site;
  Index heads = 0;
  std::string_view why;
};

// "encoder.layers.0.self, encoder.layers.1.self: why; decoder.layers.0.cross: why".
std::string fixed_text(const std::vector<FixedAttention>& attentions);

// The reason why no head of an attention can be gated or removed; empty if there is none.
using WhyFixed = std::string_view (*)(const Transformer& model,
                                      const MultiHeadAttention& attention);
std::vector<FixedAttention> fixed_attentions(const Transformer& transformer, WhyFixed why);

// The heads that can have a HeadGate, in this model or in its copy with_weights_apart().
HeadNames gateable_heads(const Transformer& transformer);
std::string_view why_ungated(const Transformer& model, const MultiHeadAttention& attention);

// Multiplies the output of a head by a gate. It scales the head's columns of the output projection,
// so everything that uses the weights also works with the gated head.
class HeadGate : NotCopied {
 public:
  // Throws ConfigError if the head does not exist (listing the existing heads), if the attention
  // has no output projection, or if another attention shares this projection.
  HeadGate(Model& model, const HeadName& head);
  ~HeadGate() { set(1); }  // restores the weights to the bit

  const HeadName& head() const { return head_; }

  void set(double gate);  // 1: as trained; 0: removed

  // dL/dgate at the current gate: Σ W dL/dW over the head's columns, for the trained weights W.
  double slope(const ParameterGradients& gradients) const;

 private:
  HeadName head_;
  Tensor weight_;  // (D, H d), the tensor in the store
  Tensor kept_;    // (D, d): the head's columns as trained
  Index block_;
  Index first_;  // column
};

using HeadGates = std::vector<std::unique_ptr<HeadGate>>;
HeadGates gates_on(Model& model, const HeadNames& heads);

// E |dL/dgate| over the sentences of a split for each gate at its current value; L is the
// sentence's mean loss (Michel et al. 2019, equation 2). Does not depend on the number of threads.
std::vector<double> gate_slopes(const Model& model, const Source& source, const HeadGates& gates,
                                Workers& workers);

// Evaluates a split without outputs, and without a memory of earlier text, as gate_slopes() does.
Evaluation evaluate_memoryless(const Model& model, const Config& config, const Task& task,
                               const Split& split, Workers& workers);

struct HeadImportance {
  HeadName head;
  double loss_without = 0;  // mean negative log-likelihood per target token without the head
  double loss_alone = 0;    // without all other heads of its attention
  double slope = 0;         // from gate_slopes(), at gate 1
};

struct Importance {
  double loss = 0;                        // with all heads
  std::vector<HeadImportance> heads{};    // the heads that can be gated
  std::vector<FixedAttention> ungated{};  // attentions that are left out
};

// Measures a split's loss without each head and with each head alone in its attention (Michel et
// al. 2019, sections 3.2 and 3.3), and slopes, for all heads that can be gated. Losses are
// from evaluate_memoryless(). Attentions that share weights are measured separately. Restores the
// weights.
Importance head_importance(Model& model, const Config& config, const Task& task, const Split& split,
                           Workers& workers, const OnProgress& progress = {});

// Whether attentions of a model share weights (model.layer_groups, shared_as).
bool shares_weights(const Transformer& transformer);

// A model with the same outputs in which each attention and each layer has its own copy of the
// weights that `model` shares. `config` is the config of `model`.
std::unique_ptr<Model> with_weights_apart(const Model& model, const Config& config);

constexpr Index usual_slope_examples = 200;  // enough to tell important heads from others

struct PruningStep {
  HeadNames removed;      // one head; by choose_removal() also a set that shares keys
  double importance = 0;  // at their removal, among the remaining heads; the mean of a set
  double loss = 0;        // without them and the heads removed before them
  Index left = 0;         // how many are removed after them
};

struct PruningCurve {
  double loss = 0;  // with all heads
  std::vector<PruningStep> steps{};
  std::vector<FixedAttention> ungated{};  // attentions whose heads stay

  // How many steps can be taken together while the loss grows by at most `tolerance` nats.
  std::size_t steps_within(double tolerance) const;

  HeadNames removed_by(std::size_t first_steps) const;
};

// Removes all heads that can be gated, one after the other, then restores them. Each step removes
// the head whose gate has the smallest slope, given the heads removed before (Michel et al. 2019,
// section 4, but slopes are measured again after every head). Losses are means over the target
// tokens of the split, from evaluate_memoryless(); slopes use the split's first `slope_examples`.
// Attentions that share weights lose a head separately.
PruningCurve prune_heads(Model& model, const Config& config, const Task& task, const Split& split,
                         Index slope_examples, Workers& workers, const OnProgress& progress = {});

// A head with a trained gate, and how far the gate is open.
struct GatedHead {
  HeadName head;
  double gate = 0;  // the gate without random draws; exactly 0 if closed
  double open = 0;  // the probability that a draw in training is not 0
};

// The heads of a model that have gates, in the order in which a pass meets them.
std::vector<GatedHead> gated_heads(const Model& model);

// The heads whose gates are closed. They contribute nothing.
HeadNames closed_heads(const std::vector<GatedHead>& heads);

// The figures of a head or a step. `loss` is the loss with all heads.
std::vector<FigureRow<HeadImportance>> importance_rows(double loss = 0);
std::vector<FigureRow<PruningStep>> pruning_rows();
std::vector<FigureRow<GatedHead>> gate_rows();

std::string importance_table(const Importance& importance);
Json importance_json(const Importance& importance);

std::string pruning_table(const PruningCurve& curve);
Json pruning_json(const PruningCurve& curve);

}}  // namespace tapehead::TAPEHEAD_PRECISION
