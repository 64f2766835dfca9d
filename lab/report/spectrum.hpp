// The part of a report about the spectrum of the embedding, of a task some of whose tokens are the
// numbers of a circle.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "datasets/task.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// {"tokens": 97, "most": 0.9, "checkpoints": [{"step": 100, "shares": [0.021, ...],
//  "frequencies": 42, "gini": 0.1}, ...]}
//
// The checkpoints are the first and the last of the steps that the run keeps, or every one. Share
// k - 1 is that of frequency k; so many frequencies have the share "most" together. Null if the
// task has no such tokens, or the run keeps no checkpoint of a step. Throws IoError for a
// checkpoint that cannot be used.
nlohmann::ordered_json spectrum_json(const std::filesystem::path& run, const Task& task,
                                     bool every_checkpoint);

}}  // namespace tapehead::TAPEHEAD_PRECISION
