// The report of a run: what it is, how far it is, its curves, samples, heads, config and machine.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/report/request.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The effort of the report at the end of a training, which must not take longer than one more
// validation.
ReportEffort effort_of_training(Index validation_examples);

// The data that report_page() shows. If a run has not ended, has no checkpoint, or its data is
// missing, the report contains what is known, and "notes" list what is missing. If the model is
// there but cannot be read, "fault" says why. Throws IoError if it is not a run, if its metrics
// cannot be read, or if a named checkpoint cannot be used. Throws ConfigError and DataError for a
// sentence and a split that do not exist.
nlohmann::ordered_json report_run(const ReportRequest& request);

}}  // namespace tapehead::TAPEHEAD_PRECISION
