// A rehearsal of a training: its largest step, some of its others, and the largest batches of its
// evaluations, on its own data and threads, to see what they take. Nothing is written.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "datasets/task.hpp"
#include "train/options/options.hpp"
#include "train/plan/model_parts.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct Rehearsal {
  StepRows rows;  // of a mean step
  std::vector<ModelPart> parts;
  std::vector<std::size_t> activations;  // bytes of each part that the largest shard keeps for its
                                         // way back
  double seconds_per_step = 0;           // of a step of mean size
  Index timed_steps = 0;
  std::size_t peak_bytes = 0;  // that a process which trains so has resident at most
};

// The config must be resolved. `say` is told what is begun. The memory is what this process has
// had: it should have done nothing larger before. Outputs are as much longer than their sources as
// the references are on the mean, which is what a trained model writes.
Rehearsal rehearse(const Config& config, const Task& task, Index threads,
                   const std::function<void(const char*)>& say);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
