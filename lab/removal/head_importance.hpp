// Which heads matter: what the loss says when one is taken away, and how fast it would change.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel/workers.hpp"
#include "datasets/task.hpp"
#include "train/experiment.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct HeadName {
  AttentionSite site;
  Index head = 0;

  auto operator<=>(const HeadName&) const = default;
};

// The head of the attention that is written so, such as "decoder.layers.0.cross". Throws
// ConfigError, with the heads there are, for one that there is not.
HeadName head_named(const Transformer& transformer, std::string_view attention, Index head);

// All heads of a model, in the order in which a pass meets them.
std::vector<HeadName> heads_of(const Transformer& transformer);

// The attention of a head. Throws ConfigError as head_named() does.
const MultiHeadAttention& attention_of(const Transformer& transformer, const HeadName& head);

// An attention whose heads cannot be gated, or not be removed, and why.
struct FixedAttention {
  AttentionSite site;
  Index heads = 0;
  std::string why;
};

// "encoder.layers.0.self, encoder.layers.1.self: why; decoder.layers.0.cross: why".
std::string fixed_text(const std::vector<FixedAttention>& attentions);

// The heads that a HeadGate can be put on, and the attentions whose heads it cannot.
std::vector<HeadName> gateable_heads(const Transformer& transformer);
std::vector<FixedAttention> ungated_attentions(const Transformer& transformer);

// A gate on a head multiplies what it writes: here by scaling its columns of the output projection,
// so that everything that the weights can do can be done with the head gated.
class HeadGate {
 public:
  // The gate of a head of this model. Throws ConfigError, with the heads there are, for a head that
  // there is not, and for one whose output goes through no projection of its attention's own.
  HeadGate(Model& model, const HeadName& head);
  HeadGate(const HeadGate&) = delete;
  HeadGate& operator=(const HeadGate&) = delete;
  ~HeadGate() { set(1); }  // to the bit as it was

  void set(double gate);  // 1: as trained; 0: gone

  // dL/dgate where it stands, from the gradient of the weights: Σ W dL/dW over the head's columns,
  // with W as trained.
  double slope(const ParameterGradients& gradients) const;

 private:
  Tensor weight_;  // (D, H d), the store's own
  Tensor kept_;    // (D, d): the head's columns as they were
  Index block_;
  Index first_;  // column
};

using HeadGates = std::vector<std::unique_ptr<HeadGate>>;
HeadGates gates_on(Model& model, const std::vector<HeadName>& heads);

// E |dL/dgate| over the sentences of a split, L: the sentence's mean loss, for each gate where it
// stands (Michel et al. 2019, equation 2). Equal at any number of threads.
std::vector<double> gate_slopes(const Model& model, const Split& split, const HeadGates& gates,
                                Workers& workers);

struct HeadImportance {
  HeadName head;
  double loss_without = 0;  // mean negative log-likelihood of a target token with the head gone
  double loss_alone = 0;    // with all other heads of its attention gone
  double slope = 0;         // as gate_slopes() says, at gate 1
};

struct Importance {
  double loss = 0;                        // with all heads
  std::vector<HeadImportance> heads;      // that can be gated
  std::vector<FixedAttention> ungated{};  // whose heads are left out
};

// One-out and all-but-one ablation (Michel et al. 2019, sections 3.2 and 3.3) and slopes over a
// split, of all heads that can be gated. Leaves the weights as they were. `progress` hears how much
// of the work is done.
Importance head_importance(Model& model, const Config& config, const Task& task, const Split& split,
                           Workers& workers,
                           const std::function<void(Index done, Index of)>& progress = {});

}  // namespace tapehead::inline TAPEHEAD_PRECISION
