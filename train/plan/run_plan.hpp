// What a config comes to once its data is known, and whether the two go together.
#pragma once

#include "datasets/task.hpp"
#include "train/options/options.hpp"

namespace tapehead {

struct RunPlan {
  Index steps_per_epoch;
  Index total_steps;  // where the schedule ends: 0 when only time or patience ends the run
};

// Throws ConfigError when the warmup does not end before the run, DataError when the model has no
// positions for an example, with the file and line of text.
RunPlan plan_run(const Config& config, const Task& task);

}  // namespace tapehead
