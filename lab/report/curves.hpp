// The curves of a run, from what it writes while it trains, thinned to what a page can show.
#pragma once

#include <nlohmann/json.hpp>

#include "core/types.hpp"
#include "train/run/files.hpp"

namespace tapehead {

constexpr Index curve_points = 400;  // of a curve, at most

// {"training": {"step": [...], "loss": [...], ..., "tokens_per_second": [...]}, "steps_a_point": k,
//  "evaluations": {"step": [...], "loss": [...], ...}, "last_step": n, "faults": ["...", ...]}
//
// Every figure of the lines of metrics.jsonl, whatever they are. A point of training is the mean
// over as many steps as are given, and stands at the last of them; null where a figure is missing
// or not finite. Files that are not there, and a last line that was torn, say nothing; lines that
// are damaged are told in "faults".
nlohmann::ordered_json report_curves(const RunFiles& files);

}  // namespace tapehead
