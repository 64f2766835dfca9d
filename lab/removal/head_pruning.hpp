// Taking heads away one after the other, the least important first.
#pragma once

#include <functional>
#include <vector>

#include "lab/removal/head_importance.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

constexpr Index usual_slope_examples = 200;  // enough to tell important heads from others

struct PruningStep {
  HeadName removed;
  double importance = 0;  // that it had among the heads that were left
  double loss = 0;        // without it and those before it
};

struct PruningCurve {
  double loss = 0;  // with all heads
  std::vector<PruningStep> steps;
  std::vector<FixedAttention> ungated{};  // whose heads stay

  // How many heads can go together before the loss has grown by more than so many nats.
  std::size_t steps_within(double tolerance) const;
};

// Removes all heads of a model that can be gated, each time the one whose gate has the least slope
// with those before it gone (Michel et al. 2019, section 4, with importance measured again after
// every head), and puts them back. Losses are means over the target tokens of the split; slopes are
// taken over its first `slope_examples`.
PruningCurve prune_heads(Model& model, const Config& config, const Task& task, const Split& split,
                         Index slope_examples, Workers& workers,
                         const std::function<void(Index done, Index of)>& progress = {});

}  // namespace tapehead::inline TAPEHEAD_PRECISION
