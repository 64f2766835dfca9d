// What the records of a run give for a page: its curves, with few enough points, and its facts.
#pragma once

#include "core/files/json_text.hpp"
#include "train/run/run_files.hpp"

namespace tapehead {

constexpr Index curve_points = 400;  // of a curve, at most

// {"training": {"step": [...], "loss": [...], ..., "tokens_per_second": [...]}, "steps_a_point": k,
//  "evaluations": {"step": [...], "loss": [...], ...}, "last_step": n, "faults": ["...", ...]}
//
// With every figure of metrics.jsonl. A point of training is the mean over "steps_a_point" steps,
// the last of which is its step; null if a figure is missing or not finite. Missing files and an
// incomplete last line are ignored. "faults" list damaged lines. Throws IoError for unreadable
// files.
Json report_curves(const RunFiles& files);

// The facts about a run: what it is, how far it is, its config, and the machine.
//
// {"kind": "run", "name": "copy", "path": "runs/copy", "task": "copy",
//  "state": {"name": "finished", "text": "finished after 600 steps"},
//  "summary": [["steps", 600], ...], "tests": {"test": {"loss": ...}},
//  "config": [{"option": "model.d_model", "value": "64", "origin": "configs/copy.yaml:15:12"},
//  ...], "environment": [["version", "0.1.0"], ...]}
//
// State names: "finished", "training" (a process writes to the run), "stopped" (it can be resumed),
// "waiting" (no step yet), "unknown" (there is no record of its end). Throws ConfigError for a
// config that cannot be read.
Json run_facts(const RunFiles& files, Index last_step);

}  // namespace tapehead
