// The curves of a run, from the files that it writes during the training, with few enough points
// for a page.
#pragma once

#include <nlohmann/json.hpp>

#include "core/types.hpp"
#include "train/run/run_files.hpp"

namespace tapehead {

constexpr Index curve_points = 400;  // of a curve, at most

// {"training": {"step": [...], "loss": [...], ..., "tokens_per_second": [...]}, "steps_a_point": k,
//  "evaluations": {"step": [...], "loss": [...], ...}, "last_step": n, "faults": ["...", ...]}
//
// It contains every figure of the lines of metrics.jsonl. A point of training is the mean over
// "steps_a_point" steps, and its step is the last of them. It is null if a figure is missing or not
// finite. Missing files and an incomplete last line are ignored. Damaged lines are listed in
// "faults". Throws IoError if a file cannot be read.
nlohmann::ordered_json report_curves(const RunFiles& files);

}  // namespace tapehead
