// The batches of a training, for each step and epoch.
#pragma once

#include <vector>

#include "datasets/loader.hpp"
#include "train/options/layout.hpp"
#include "train/options/options.hpp"
#include "train/step/training_position.hpp"

namespace tapehead {

class TrainingBatches {
 public:
  // Both must outlive it.
  TrainingBatches(const Config& config, const Task& task)
      : config_(config), task_(task), layout_(layout_of(config.model)) {}

  // The batches of the next step: `accumulate` of them, or fewer at the end of an epoch. Advances
  // the position.
  std::vector<Batch> next(TrainingPosition& position);

 private:
  void begin(Index epoch);

  const Config& config_;
  const Task& task_;
  Layout layout_;
  Index epoch_ = -1;
  TrainingEpoch current_;  // of that number
};

}  // namespace tapehead
