// The report of a sweep: how far it is, and what it has found so far.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "lab/sweep/plan.hpp"

namespace tapehead {

// What report_page() shows: {"kind": "sweep", "name", "path", "state", "summary", "notes",
// "axes": [{"name", "labels"}], "progress": [{"run", "state", "link", "has_page"}],
// "lower_is_better",
// "results": as results_json() has them, null while no run has finished}. A sweep that has not
// ended, whether it still goes or was stopped, is told as far as it is. A run's link leads from
// `page`, the file that the report is for, to the run's page, or to its directory as long as it has
// no page; it is left out where there is neither. Throws IoError for what is no sweep.
nlohmann::ordered_json report_sweep(const std::filesystem::path& directory,
                                    const std::filesystem::path& page);

// The same by the sweep itself at its end, when it knows the results: for report.html in it.
nlohmann::ordered_json report_ended_sweep(const std::filesystem::path& directory,
                                          const SweepPlan& plan, nlohmann::ordered_json results);

}  // namespace tapehead
