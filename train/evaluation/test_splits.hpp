// Which splits a test reports.
#pragma once

#include <vector>

#include "datasets/task.hpp"

namespace tapehead {

// The split `test`; where there are further test splits, those too, and `whole`: all of them
// together. None where the task has no test split.
std::vector<Split> test_splits(const Task& task);

// What a training is tested on at its end: those, or the validation split where there are none.
std::vector<Split> final_splits(const Task& task);

}  // namespace tapehead
