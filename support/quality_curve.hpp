// The quality of a run over its training time.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace tapehead {

// The validation lines of metrics.jsonl, whose content is `metrics`, each with the minutes of
// training before it. Steps have no recorded times, so `seconds`, the duration of the run without
// evaluations, is distributed over the steps in proportion to their target tokens.
std::vector<nlohmann::ordered_json> quality_curve(std::string_view metrics, double seconds);

}  // namespace tapehead
