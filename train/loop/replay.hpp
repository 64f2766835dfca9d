// Replays: a training step that met a number that is not finite is saved, to be repeated.
#pragma once

#include "core/sequence/batch.hpp"
#include "core/tape/parameters.hpp"
#include "train/options/options.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The inputs of a step.
struct Replay {
  Config config;
  Index source_vocabulary = 0;
  Index target_vocabulary = 0;
  Index step = 1;
  std::vector<Batch> batches{};
  Tensor memory{};  // what the lanes remembered (LaneMemory::committed); without memory if nothing
};

// Writes the step and the weights before it. Throws IoError.
void write_replay(const std::filesystem::path& file, const Replay& replay,
                  const ParameterStore& store);

struct Replayed {
  bool clean = false;   // no anomaly occurred
  std::string message;  // the anomaly, or the result of the step
};

// Repeats the step, and checks every value and gradient. All draws are addressed, so the number
// that is not finite occurs again. Throws IoError if the file is not a replay.
Replayed replay_step(const std::filesystem::path& file, Index threads);

}}  // namespace tapehead::TAPEHEAD_PRECISION
