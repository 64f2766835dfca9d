// Which heads a smaller model does without: those that matter least, of those that can go.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lab/removal/head_importance.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct RemovalStep {
  std::vector<HeadName> heads;  // that go together
  double loss = 0;              // without them and those before; measured where no count is given
};

struct RemovalChoice {
  double loss = 0;  // with all heads
  std::vector<RemovalStep> steps;

  // The heads of all steps up to the last one after which the loss has not grown by more than so
  // many nats.
  std::vector<HeadName> heads_within(double tolerance) const;
  std::vector<HeadName> all_heads() const;
};

// Removes heads, each time the set that can go and whose gates have the least mean slope with those
// before gone, and puts them back: so many of them, or, without a count, all that can go. A set is
// one head, but where heads share keys. Slopes are taken over the first `slope_examples`. Throws
// ConfigError for a count that cannot be made up.
RemovalChoice choose_removal(Model& model, const Config& config, const Task& task,
                             const Split& split, std::optional<Index> count, Index slope_examples,
                             Workers& workers,
                             const std::function<void(Index done, Index of)>& progress = {});

// Of these heads as many as can go together.
std::vector<HeadName> removable_among(const Transformer& transformer,
                                      const std::vector<HeadName>& heads);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
