// Patience: what is said of a training that waits for a better evaluation, and of its end when none
// comes.
#pragma once

#include <string>

#include "train/options/options.hpp"

namespace tapehead {

// Where a training stands between evaluations.
struct Waiting {
  Metric metric = Metric::loss;
  Index patience = 0;  // 0: without end
  Index evaluations = 0;
  Index best_evaluation = 0;  // the number of the last one that was better by the metric; 0: none
  double best_value = 0;

  Index without_gain() const { return evaluations - best_evaluation; }
  bool over() const { return patience > 0 && without_gain() >= patience; }
};

// What the last evaluation has brought, for the end of its line: whether it is the best so far, and
// how long nothing was better by the metric. `kept`: its weights are the best checkpoint now, which
// those with an equal metric and a lower loss are, too. Empty where there is nothing to say.
std::string gain_text(const Waiting& waiting, bool kept);

// Why a training ends whose patience is over.
std::string patience_text(const Waiting& waiting);

}  // namespace tapehead
