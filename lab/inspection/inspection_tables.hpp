// An inspection as tables for a terminal.
#pragma once

#include <string>

#include "lab/inspection/inspection.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// For each attention a table: a row for each query, and in a head's column the key with its largest
// weight, and the weight in percent.
std::string attention_tables(const Inspection& inspection);

// For each labelled row what the model predicts after it, and without some heads beside it.
std::string predictions_table(const SavedRun& run, const Inspection& inspection);

}}  // namespace tapehead::TAPEHEAD_PRECISION
