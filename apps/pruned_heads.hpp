// Which heads `tapehead prune` removes.
#pragma once

#include "core/kernel/workers.hpp"
#include "datasets/task.hpp"
#include "lab/removal/head_removal.hpp"
#include "train/experiment.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

// What a user asks for: heads by name, or those that are closed, or else the least important ones.
struct HeadChoice {
  std::vector<std::string> names;  // such as "decoder.layers.0.cross.3"
  bool closed = false;             // those whose gates are closed
  Index count = -1;         // of the least important ones; -1: as many as the tolerance allows
  double tolerance = 0.01;  // by which the loss on the split may grow
};

// The heads to remove, and a note about heads that would come first but cannot be removed.
struct ChosenHeads {
  std::vector<HeadName> heads;
  std::string remark{};
};

// Throws ConfigError if there is no such head, if one is named twice, or if no head has a gate.
ChosenHeads choose_heads(const HeadChoice& choice, SavedRun& saved, const Task& task,
                         const Split& split, Workers& workers, Console& console);

}  // namespace tapehead
