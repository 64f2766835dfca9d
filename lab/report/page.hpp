// The page of a report, one HTML file that contains all it needs and loads nothing; and what the
// records of a run and of a sweep give for it.
#pragma once

#include "core/files/json_text.hpp"
#include "lab/sweep/plan.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

// The sources of every page, embedded when the program is built (cmake/embed.cmake).
extern const std::string_view report_frame;    // lab/report/page.html
extern const std::string_view report_style;    // lab/report/page.css
extern const std::string_view report_script;   // lab/report/*.js
extern const std::string_view report_library;  // D3: d3.min.js of Debian's node-d3

// `report`: as report_run() makes it; "name" becomes the title.
std::string report_page(const Json& report);

// JSON that is safe inside a <script> element: no character of it begins a tag or a comment.
std::string json_for_page(const Json& json);

// Text that is safe between tags.
std::string text_for_page(std::string_view text);

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

// The data that report_page() shows: {"kind": "sweep", "name", "path", "state", "summary", "notes",
// "axes": [{"name", "labels"}], "progress": [{"run", "state", "link", "has_page"}],
// "lower_is_better", "results": from results_json(), null while no run has finished}. A run's link
// leads from `page`, the file of this report, to the run's page, else to its directory, if there is
// one. Throws IoError if it is not a sweep.
Json report_sweep(const std::filesystem::path& directory, const std::filesystem::path& page);

// The same at the end of the sweep, with its results, for report.html in its directory.
Json report_ended_sweep(const std::filesystem::path& directory, const SweepPlan& plan,
                        Json results);

}  // namespace tapehead
