// The number of steps of a run, which depends on its data, and checks that config and data match.
#pragma once

#include "train/options/options.hpp"

namespace tapehead {

struct RunPlan {
  Index steps_per_epoch;
  Index total_steps;  // where the schedule ends; 0 if only time or patience ends the run
};

// Throws ConfigError if the warmup does not end before the run. Throws DataError, with file and
// line of the text, if the model has too few positions for an example.
RunPlan plan_run(const Config& config, const Task& task);

// Says in which steps the learning rate is 0, so that they change no weights, and what the highest
// rate is. Empty if no step has the rate 0, or one of many steps.
std::string zero_rate_text(const Config& config, const RunPlan& plan);

// Warns once if the heads of some attentions are copies of one head (heads_are_copies), and names
// these attentions.
void say_copied_heads(const ModelOptions& model);

}  // namespace tapehead
