// The quality of a run over time, from the files that the run wrote.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace tapehead {

// The validation lines of metrics.jsonl, each with the minutes of training before it. Steps have no
// times of their own. So the run's seconds, without evaluations, are distributed over its steps in
// proportion to their target tokens.
std::vector<nlohmann::ordered_json> quality_curve(std::string_view metrics, double seconds);

}  // namespace tapehead
