// The batches of a training, step by step and epoch by epoch.
#pragma once

#include <memory>
#include <vector>

#include "datasets/loader.hpp"
#include "train/options/options.hpp"
#include "train/step/training_position.hpp"

namespace tapehead {

class TrainingBatches {
 public:
  // Both must outlive it.
  TrainingBatches(const Config& config, const Task& task) : config_(config), task_(task) {}

  // The batches of the step that comes next, `accumulate` of them and fewer at an epoch's end; the
  // position moves on.
  std::vector<Batch> next(TrainingPosition& position);

 private:
  void begin(Index epoch);

  const Config& config_;
  const Task& task_;
  Index epoch_ = -1;                    // the one at hand
  std::shared_ptr<const Split> split_;  // as that epoch sees it
  std::vector<std::vector<Index>> batches_;
};

}  // namespace tapehead
