// Which splits the report of a test contains.
#pragma once

#include <string>
#include <vector>

#include "datasets/task.hpp"

namespace tapehead {

// The split `test` and, if there are further test splits, these too, and `whole`: all of them
// together. Empty if the task has no test split.
std::vector<Split> test_splits(const Task& task);

// What an evaluation of this name is of: of `test` all test_splits(), of `whole` these together, of
// any other name that split. Throws DataError if there is no such split.
std::vector<Split> splits_named(const Task& task, const std::string& name);

// The splits that are tested at the end of a training: the test splits, or the validation split if
// there are none.
std::vector<Split> final_splits(const Task& task);

}  // namespace tapehead
