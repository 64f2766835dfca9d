// Evaluates a trained run on the splits of its data.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/evaluation/evaluation.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

using SplitResults = std::vector<std::pair<std::string, Evaluation>>;

// Decodes all examples. A NumericError names the checkpoint.
Evaluation evaluate(const SavedRun& run, const Task& task, const Split& split,
                    const EvaluationOptions& options, const Team& team);

// Evaluates splits_named(). Throws DataError if there is no such split, and NumericError if a
// figure is not finite.
SplitResults evaluate(const SavedRun& run, const Task& task, const std::string& split,
                      const EvaluationOptions& options, const Team& team);

}}  // namespace tapehead::TAPEHEAD_PRECISION
