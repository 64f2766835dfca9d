// A replay is a saved training step in which a number was not finite, to be repeated.
#pragma once

#include "core/sequence/batch.hpp"
#include "core/tape/parameters.hpp"
#include "train/options/options.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Replay {
  Config config;
  Index source_vocabulary = 0;
  Index target_vocabulary = 0;
  Index step = 1;
  std::vector<Batch> batches{};
  Tensor memory{};  // the lanes' state (LaneMemory::committed); empty: none
};

// Writes the step and the weights before it. Throws IoError.
void write_replay(const fs::path& file, const Replay& replay, const ParameterStore& store);

struct Replayed {
  bool clean = false;   // no anomaly occurred
  std::string message;  // the anomaly, or the result of the step
};

// Repeats the step, and checks every value and gradient. Random draws depend only on their address,
// so the error occurs again. Throws IoError if the file is not a replay.
Replayed replay_step(const fs::path& file, Index threads);

}}  // namespace tapehead::TAPEHEAD_PRECISION
