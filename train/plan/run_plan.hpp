// The plan of a run, made when its data is known, and the check that config and data match.
#pragma once

#include "datasets/task.hpp"
#include "train/options/options.hpp"

namespace tapehead {

struct RunPlan {
  Index steps_per_epoch;
  Index total_steps;  // where the schedule ends; 0 if only time or patience ends the run
};

// Throws ConfigError if the warmup does not end before the run. Throws DataError, with file and
// line of the text, if the model has too few positions for an example.
RunPlan plan_run(const Config& config, const Task& task);

// Where the learning rate is 0, so that steps change no weights, and what the highest rate is.
// Empty if the rate is 0 in no step.
std::string zero_rate_text(const Config& config, const RunPlan& plan);

// Warns once, naming the attentions, if the heads of some are copies of one head
// (heads_are_copies).
void say_copied_heads(const ModelOptions& model);

}  // namespace tapehead
