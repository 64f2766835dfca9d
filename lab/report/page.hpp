// The page of a report: one HTML file that contains everything and loads nothing. Also the data
// that it shows from the records of a run or of a sweep.
#pragma once

#include "lab/sweep/plan.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

// The sources of every page, embedded at build time (cmake/embed.cmake).
extern const std::string_view report_frame;    // lab/report/page.html
extern const std::string_view report_style;    // lab/report/page.css
extern const std::string_view report_script;   // lab/report/*.js
extern const std::string_view report_library;  // D3: d3.min.js of Debian's node-d3

constexpr std::size_t most_page_bytes = 8'000'000;

// `report` comes from report_run() or report_sweep(); its "name" becomes the title. Of a run's
// page that would be larger than `most_page_bytes`, parts are left out, and a note says which.
std::string report_page(Json report);

// JSON that is safe inside a <script> element: no character begins a tag or a comment, or is
// hidden.
std::string json_for_page(const Json& json);

std::string text_for_page(std::string_view text);  // safe between tags, as shown() shows it

constexpr Index curve_points = 400;  // the maximum for each curve

// {"training": {"step": [...], "loss": [...], ..., "tokens_per_second": [...]}, "steps_a_point": k,
//  "evaluations": {"step": [...], "loss": [...], ...}, "evaluations_a_point": k,
//  "last_step": n, "faults": ["...", ...], "samples": [...]}
//
// Has every figure of metrics.jsonl. A training point is the mean over "steps_a_point" steps, at
// the last of these steps, and likewise of evaluations; it is null if a figure is missing or not
// finite. Missing files and an incomplete last line are ignored. "faults" lists damaged lines.
// Throws IoError for unreadable files.
Json report_curves(const RunFiles& files);

// The facts about a run: its state, summary, test results, config and machine.
//
// {"kind": "run", "name": "copy", "path": "runs/copy", "task": "copy",
//  "state": {"name": "finished", "text": "finished after 600 steps"},
//  "summary": [["steps", 600], ...], "tests": {"test": {"loss": ...}},
//  "config": [{"option": "model.d_model", "value": "64", "origin": "configs/copy.yaml:15:12"},
//  ...], "environment": [["version", "0.1.0"], ...]}
//
// Names of states: "finished", "training" (a process writes to the run), "stopped" (can be
// resumed), "waiting" (no step yet), "unknown" (no record of an end). Throws ConfigError for an
// unreadable config.
Json run_facts(const RunFiles& files, Index last_step);

// The data that report_page() shows: {"kind": "sweep", "name", "path", "state", "summary", "notes",
// "axes": [{"name", "labels"}], "maps": {point: sentence_json()}, "progress": [{"run", "state",
// "link", "has_page"}], "lower_is_better", "results": results_json() or, if no run has finished,
// null}. A "link" leads from `page`, the file of this report, to the run's page or, without a page,
// to its directory. Throws IoError if `directory` is not a sweep.
Json report_sweep(const fs::path& directory, const fs::path& page);

// The same for report.html in a sweep's directory when the sweep ends, with its results.
Json report_ended_sweep(const fs::path& directory, const SweepPlan& plan, Json results);

}  // namespace tapehead
