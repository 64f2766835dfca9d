// Patience: messages about a training that waits for a better evaluation, and about its end if none
// comes.
#pragma once

#include <string>

#include "train/options/options.hpp"

namespace tapehead {

// The state of a training between evaluations.
struct Waiting {
  Metric metric = Metric::loss;
  Index patience = 0;  // 0: unlimited
  Index evaluations = 0;
  Index best_evaluation = 0;  // the number of the last one better by the metric; 0: none
  double best_value = 0;

  Index without_gain() const { return evaluations - best_evaluation; }
  bool over() const { return patience > 0 && without_gain() >= patience; }
};

// Whether the weights of an evaluation are now the best checkpoint, and why.
enum class KeptWeights {
  none,
  best,          // better by the metric than every evaluation before
  lower_loss,    // as good as the best by the metric, with a lower loss
  since_resume,  // the checkpoint of a better evaluation was lost at a resume
};

// The end of the line about the last evaluation: whether it is the best so far, or for how long
// none was better by the metric. Empty if there is nothing to say.
std::string gain_text(const Waiting& waiting, KeptWeights kept);

// Why a training ends when its patience is used up.
std::string patience_text(const Waiting& waiting);

}  // namespace tapehead
