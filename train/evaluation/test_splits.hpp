// Which splits the report of a test contains.
#pragma once

#include <vector>

#include "datasets/task.hpp"

namespace tapehead {

// The split `test` and, if there are further test splits, these too, and `whole`: all of them
// together. Empty if the task has no test split.
std::vector<Split> test_splits(const Task& task);

// The splits that are tested at the end of a training: the test splits, or the validation split if
// there are none.
std::vector<Split> final_splits(const Task& task);

}  // namespace tapehead
