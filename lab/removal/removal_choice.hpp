// Chooses the heads that a smaller model will not have: those that matter least among those that
// can be removed.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct RemovalStep {
  std::vector<HeadName> heads;  // removed together
  double loss = 0;              // without them and those before; measured only if no count is given
};

struct RemovalChoice {
  double loss = 0;  // with all heads
  std::vector<RemovalStep> steps;

  // The heads of all steps up to the last one after which the loss has grown by at most `tolerance`
  // nats.
  std::vector<HeadName> heads_within(double tolerance) const;
  std::vector<HeadName> all_heads() const;
};

// Removes heads, and then restores them: `count` of them or, without a count, all that can be
// removed. Each time it removes the set whose gates have the smallest mean slope, given those
// removed before. A set is one head, unless heads share keys. Losses are without_memory(); slopes
// are computed over the first `slope_examples`. Throws ConfigError for a count that no combination
// of sets gives.
RemovalChoice choose_removal(Model& model, const Config& config, const Task& task,
                             const Split& split, std::optional<Index> count, Index slope_examples,
                             Workers& workers,
                             const std::function<void(Index done, Index of)>& progress = {});

// As many of these heads as can be removed together.
std::vector<HeadName> removable_among(const Transformer& transformer,
                                      const std::vector<HeadName>& heads);

}}  // namespace tapehead::TAPEHEAD_PRECISION
