// The report of a sweep: how far it is, and its results so far.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "lab/sweep/plan.hpp"

namespace tapehead {

// The data that report_page() shows: {"kind": "sweep", "name", "path", "state", "summary", "notes",
// "axes": [{"name", "labels"}], "progress": [{"run", "state", "link", "has_page"}],
// "lower_is_better", "results": from results_json(), null while no run has finished}. A sweep that
// is running or was stopped is reported as far as it is. A run's link leads from `page`, the file
// of this report, to the run's page or, if it has none, to its directory. It is absent if there is
// neither. Throws IoError if it is not a sweep.
nlohmann::ordered_json report_sweep(const std::filesystem::path& directory,
                                    const std::filesystem::path& page);

// The same, called by the sweep itself at its end with its results, for report.html in its
// directory.
nlohmann::ordered_json report_ended_sweep(const std::filesystem::path& directory,
                                          const SweepPlan& plan, nlohmann::ordered_json results);

}  // namespace tapehead
