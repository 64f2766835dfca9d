// The part of a report about the heads over the training: figures of each head at every checkpoint
// that the run keeps.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/heads/head_history.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// {"steps": [40, 80], "roles": [...], "relations": [...] as in history_json(), "attentions":
//  [{"attention": "decoder.layers.0.self", "figures": {"largest weight": [[0.4, 0.2], [0.9,
//  0.2]]}}]}
//
// A figure is a share, of each head at each step, null where the head cannot have it. It is absent
// where no head of the attention ever has it.
nlohmann::ordered_json head_curves_json(
    const HeadHistory& history, const std::vector<HeadFigureRow>& rows = head_figure_rows());

}}  // namespace tapehead::TAPEHEAD_PRECISION
