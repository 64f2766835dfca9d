// The evaluation of running text by a model with a memory: windows in lanes, in their order.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "datasets/corpus/windows.hpp"
#include "datasets/task.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct EvaluationLanes : LaneWindows {
  Index context;  // rows of a window
  Index memory;   // that the model remembers

  Index longest() const;  // rows of a lane, whose last window counts as full
};

// The windows of a split in lanes, for a model that remembers `memory` rows. A lane's first rows
// remember little, so lanes are so long that these are a small part, and there are no more than a
// batch can have. Windows keep their numbers. Throws ConfigError if the split is several documents.
EvaluationLanes evaluation_lanes(const Split& split, Index memory, Index batch_tokens);

// All lanes, in groups whose batches are as large as a part of a shard.
std::vector<LaneGroup> evaluation_groups(const EvaluationLanes& lanes, Index d_model);

// Runs the model over the windows of these lanes, in all batches or the first ones, and calls visit
// with each batch and its loss.
void read_lanes(const Model& model, const EvaluationLanes& lanes, const LaneGroup& group,
                const std::function<void(const Batch&, const CrossEntropy&)>& visit,
                std::optional<Index> most_batches = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
