// The facts about a run from its records: what it is, how far it is, its config, and the machine.
#pragma once

#include <nlohmann/json.hpp>

#include "core/types.hpp"
#include "train/run/run_files.hpp"

namespace tapehead {

// {"kind": "run", "name": "copy", "path": "runs/copy", "task": "copy",
//  "state": {"name": "finished", "text": "finished after 600 steps"},
//  "summary": [["steps", 600], ...], "tests": {"test": {"loss": ...}},
//  "config": [{"option": "model.d_model", "value": "64", "origin": "configs/copy.yaml:15:12"},
//  ...], "environment": [["version", "0.1.0"], ...]}
//
// State names: "finished", "training" (a process writes to the run), "stopped" (it can be resumed),
// "waiting" (no step yet), "unknown" (there is no record of its end). Throws ConfigError for a
// config that cannot be read.
nlohmann::ordered_json run_facts(const RunFiles& files, Index last_step);

}  // namespace tapehead
