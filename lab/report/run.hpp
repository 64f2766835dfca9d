// The report of a run: what it is, how far it is, its curves, samples, heads, config and machine.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/report/request.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// At the end of a training, where a report must not take longer than one more validation.
ReportEffort effort_of_training(Index validation_examples);

// The data that report_page() shows, as far as it is known; "notes" list what is missing, and
// "fault" says why a model that is there cannot be read. Throws IoError if it is not a run, if its
// metrics cannot be read, or if a named checkpoint cannot be used; ConfigError and DataError for a
// sentence and a split that do not exist.
nlohmann::ordered_json report_run(const ReportRequest& request);

}}  // namespace tapehead::TAPEHEAD_PRECISION
