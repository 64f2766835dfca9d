// The report of a run: what it is, how far it is, its curves, samples, heads, config and machine.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/report/request.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// That of a training's own report, which must not take longer than one more validation.
ReportEffort effort_of_training(Index validation_examples);

// What report_page() shows. A run that has not ended, or has no checkpoint, or whose data is gone,
// is told as far as it is known, and what is missing stands in "notes". Throws IoError for what is
// no run and for a checkpoint that is named and cannot be used, ConfigError and DataError for a
// sentence and a split that are not there.
nlohmann::ordered_json report_run(const ReportRequest& request);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
