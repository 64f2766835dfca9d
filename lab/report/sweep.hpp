// The report of a sweep: how far it is, and its results so far.
#pragma once

#include "core/files/json_text.hpp"
#include "lab/sweep/plan.hpp"

namespace tapehead {

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
