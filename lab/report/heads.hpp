// The part of a report about a run's heads: what each does, which ones matter, which can be
// removed, and their figures at every checkpoint that the run keeps.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/kernel/workers.hpp"
#include "lab/heads/head_history.hpp"
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

// {"steps": [40, 80], "roles": [...], "relations": [...] as in history_json(), "attentions":
//  [{"attention": "decoder.layers.0.self", "figures": {"largest weight": [[0.4, 0.2], [0.9,
//  0.2]]}}]}
//
// A figure is a share, of each head at each step, null where the head cannot have it. It is absent
// where no head of the attention ever has it.
nlohmann::ordered_json head_curves_json(
    const HeadHistory& history, const std::vector<HeadFigureRow>& rows = head_figure_rows());

}}  // namespace tapehead::TAPEHEAD_PRECISION
