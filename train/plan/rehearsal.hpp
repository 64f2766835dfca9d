// A rehearsal of a training measures its memory and time. It runs the largest step, some other
// steps, and the largest batches of the evaluations, with the training's own data and threads.
// Nothing is written.
#pragma once

#include "train/plan/model_parts.hpp"
#include "train/plan/run_plan.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Rehearsal {
  StepRows rows;  // of an average step
  std::vector<ModelPart> parts;
  double seconds_per_step = 0;  // of a step of average size
  Index timed_steps = 0;
  std::size_t peak_bytes = 0;  // most resident memory of a process that trains like this
};

// The config must be resolved. `say` is called before each stage. The memory is the peak of this
// process, which should not have used more before. Outputs are assumed to exceed their sources by
// as many tokens as references do on average.
Rehearsal rehearse(const Config& config, const Task& task, const RunPlan& plan, Index threads,
                   const std::function<void(const char*)>& say);

}}  // namespace tapehead::TAPEHEAD_PRECISION
