// Evaluates a trained run on the splits of its data.
#pragma once

#include "train/evaluation/evaluation.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The split `test` and, if there are further test splits, these too, and `whole`: all of them
// together. Empty if the task has no test split.
std::vector<Split> test_splits(const Task& task);

// What an evaluation of this name is of: of `test` all test_splits(), of `whole` these together, of
// any other name that split. Throws DataError if there is no such split.
std::vector<Split> splits_named(const Task& task, const std::string& name);

// What is tested at the end of a training: the test splits, or else the validation split.
std::vector<Split> final_splits(const Task& task);

using SplitResults = std::vector<std::pair<std::string, Evaluation>>;

// Evaluates splits_named(), of which it decodes all examples. Throws DataError if there is no such
// split, and NumericError that names the checkpoint if a figure is not finite.
SplitResults evaluate(const SavedRun& run, const Task& task, const std::string& split,
                      const EvaluationOptions& options, const Team& team);

}}  // namespace tapehead::TAPEHEAD_PRECISION
