// What the training of a sweep's run cost, in multiply-adds for each target token.
#pragma once

#include <filesystem>

#include "datasets/task.hpp"
#include "lab/run_scores.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// Forward and backward, with the pairs of a query and a key that patterns allow. The config must be
// resolved.
double multiply_adds_per_token(const Config& config, const Task& task);

// Earlier versions counted all pairs. For scores that they wrote, this counts the cost anew, from
// the config and the data of the run, so that it compares with others. Throws what find_run_data
// and make_task throw.
void update_cost(RunScores& scores, const std::filesystem::path& run);

}  // namespace tapehead
