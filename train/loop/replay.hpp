// Replays: a training step that met a number that is not finite, kept whole in a file, so that it
// can be gone through again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/sequence/batch.hpp"
#include "core/tape/parameters.hpp"
#include "train/options/options.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// What a step computes from.
struct Replay {
  Config config;
  Index source_vocabulary = 0;
  Index target_vocabulary = 0;
  Index step = 1;
  std::vector<Batch> batches;
};

// The step and the weights before it. Throws IoError.
void write_replay(const std::filesystem::path& file, const Replay& replay,
                  const ParameterStore& store);

struct Replayed {
  bool clean = false;   // no anomaly came
  std::string message;  // the anomaly, or what the step gave
};

// Goes through the step again with a look at every value and gradient: as all draws are addressed,
// what was not finite comes back. Throws IoError for a file that is none of these.
Replayed replay_step(const std::filesystem::path& file, Index threads);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
