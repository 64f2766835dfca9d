// Heads removed one after the other, the least important first; and trained gates of heads.
#pragma once

#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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

}}  // namespace tapehead::TAPEHEAD_PRECISION
