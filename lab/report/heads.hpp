// The part of a report about a run's heads: what each does, which ones matter, and which can be
// removed.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/kernel/workers.hpp"
#include "lab/report/request.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// {"split": "validation", "watched": 200, "attentions": [as heads_json()],
//  "importance": {..., "examples": 160}, "pruning": {..., "examples": 80}, "notes": ["..."]}
//
// The last two come from importance_json() and pruning_json(). They are absent, with a note that
// gives the reason, if they would take too much work, or if heads cannot be left out.
nlohmann::ordered_json report_heads_json(Model& model, const Config& config, const Task& task,
                                         const Split& split, const ReportRequest& request,
                                         Workers& workers);

}}  // namespace tapehead::TAPEHEAD_PRECISION
