// Samples: the first outputs of an evaluation, as the log and TensorBoard show them.
#pragma once

#include <string>
#include <vector>

#include "datasets/task.hpp"
#include "train/evaluation/evaluation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Each output with its source and, if it is wrong, the reference.
std::vector<std::string> samples_of(const Split& split, const Evaluation& evaluation, Index count);

// Logs them.
void show_samples(const Split& split, const Evaluation& evaluation, Index count);

}}  // namespace tapehead::TAPEHEAD_PRECISION
